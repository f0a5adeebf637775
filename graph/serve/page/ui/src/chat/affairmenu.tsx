// What can be done with an affair: the same beside a conversation and on the affair's page.
import { useState } from "preact/hooks";
import { t } from "../core/text.ts";
import { Button, Dialog, Field, Menu, Select, type MenuItem } from "../core/ui.tsx";
import { merge, move, rename } from "./affairedits.ts";
import type { Affair } from "./conversation.ts";

interface MenuProps {
  a: Affair;
  all: Affair[];
  session: string; // in which it becomes active; "" = none is open
  reload: () => void;
}

export function AffairMenu({ a, all, session, reload }: MenuProps) {
  const [open, setOpen] = useState<"" | "rename" | "merge">("");
  const others = all.filter((x) => x.id !== a.id && x.status !== "ARCHIVED");
  const to = (status: "ACTIVE" | "PARKED" | "RESOLVED" | "ARCHIVED", text: string): MenuItem => ({ text, do: () => void move(a, status, session, reload) });
  const items = [
    { text: t("affair.do.rename"), do: () => setOpen("rename") },
    a.status !== "ACTIVE" && session ? to("ACTIVE", t("affair.do.resume")) : null,
    a.status === "ACTIVE" ? to("PARKED", t("affair.do.park")) : null,
    a.status === "ACTIVE" || a.status === "PARKED" ? to("RESOLVED", t("affair.do.resolve")) : null,
    others.length ? { text: t("affair.do.merge"), do: () => setOpen("merge") } : null,
    a.status === "PARKED" || a.status === "RESOLVED" ? to("ARCHIVED", t("affair.do.archive")) : null,
  ];
  const close = () => setOpen("");
  return (
    <>
      <Menu label={t("affair.actions", { title: a.title })} items={items} />
      {open === "rename" && <Rename title={a.title} onClose={close} onDone={(title) => void rename(a, title, reload)} />}
      {open === "merge" && <Merge a={a} others={others} onClose={close} onDone={(into) => void merge(a, into, reload)} />}
    </>
  );
}

export function Rename({ title, onClose, onDone }: { title: string; onClose: () => void; onDone: (title: string) => void }) {
  const [now, setNow] = useState(title);
  const submit = (e: Event) => {
    e.preventDefault();
    onClose();
    onDone(now.trim());
  };
  return (
    <Dialog title={t("affair.do.rename")} onClose={onClose}>
      <form onSubmit={submit}>
        <Field label={t("affair.title")} value={now} onInput={setNow} focus />
        <footer>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind="main" type="submit" disabled={!now.trim() || now.trim() === title}>{t("affair.do.rename")}</Button>
        </footer>
      </form>
    </Dialog>
  );
}

function Merge({ a, others, onClose, onDone }: { a: Affair; others: Affair[]; onClose: () => void; onDone: (into: Affair) => void }) {
  const [into, setInto] = useState(others[0]?.id ?? "");
  const submit = (e: Event) => {
    e.preventDefault();
    onClose();
    const found = others.find((x) => x.id === into);
    if (found) onDone(found);
  };
  return (
    <Dialog title={t("affair.merge_title", { title: a.title })} onClose={onClose}>
      <form onSubmit={submit}>
        <p>{t("affair.merge_text")}</p>
        <Select label={t("affair.merge_into")} value={into} options={others.map((x) => [x.id, x.title] as const)} onChange={setInto} />
        <footer>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind="main" type="submit">{t("affair.do.merge")}</Button>
        </footer>
      </form>
    </Dialog>
  );
}
