// Telling memory something by hand.
import { useState } from "preact/hooks";
import { api } from "../core/api.ts";
import { changed } from "../core/load.ts";
import { go, to } from "../core/route.ts";
import { t } from "../core/text.ts";
import { toast } from "../core/toast.ts";
import { Button, Check, Dialog, Field, Select } from "../core/ui.tsx";
import { doing } from "../parts/loaded.tsx";
import { kinds, kindText } from "./item.tsx";

type Kind = Exclude<(typeof kinds)[number], "summary">;

export function Add(p: { onClose: () => void }) {
  const [content, setContent] = useState("");
  const [subject, setSubject] = useState("");
  const [kind, setKind] = useState<Kind>("fact");
  const [pinned, setPinned] = useState(false);
  const submit = async (e: Event) => {
    e.preventDefault();
    let id = "";
    const body = { content: content.trim(), kind, pinned, ...(subject.trim() ? { subject: subject.trim() } : {}) };
    if (!(await doing(async () => { id = (await api.post("/api/v1/records", { body })).id; }))) return;
    toast(t("memory.added"));
    changed();
    p.onClose();
    go(to`/memory/${id}`);
  };
  return (
    <Dialog title={t("memory.add")} onClose={p.onClose}>
      <form onSubmit={submit}>
        <Field label={t("record.content")} value={content} onInput={setContent} rows={4} focus />
        <Field label={t("record.subject")} value={subject} onInput={setSubject} />
        <Select label={t("memory.kind")} value={kind} options={kinds.filter((k) => k !== "summary").map((k) => [k, kindText(k)] as const)} onChange={setKind} />
        <Check label={t("record.is_pinned")} value={pinned} onChange={setPinned} />
        <footer>
          <Button onClick={p.onClose}>{t("ui.cancel")}</Button>
          <Button kind="main" type="submit" disabled={!content.trim()}>{t("memory.add_do")}</Button>
        </footer>
      </form>
    </Dialog>
  );
}
