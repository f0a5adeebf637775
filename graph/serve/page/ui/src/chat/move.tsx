// Putting a turn under another affair, or under a new one.
import { useState } from "preact/hooks";
import { t } from "../core/text.ts";
import { Button, Dialog, Field } from "../core/ui.tsx";
import { readAgain } from "./accounts.ts";
import { putTurn } from "./affairedits.ts";
import type { Conversation } from "./conversation.ts";
import type { Turn } from "./turns.ts";

export function moveTurn(c: Conversation, turn: string, affair: string, title: string) {
  return putTurn(c.session, turn, affair, title, () => {
    void c.load();
    void readAgain(c.session, turn);
  });
}

export function MoveTurn({ c, turn, onClose }: { c: Conversation; turn: Turn; onClose: () => void }) {
  const others = c.affairs.value.filter((a) => a.id !== turn.affair);
  const [to, setTo] = useState(others[0]?.id ?? "");
  const [title, setTitle] = useState("");
  const submit = (e: Event) => {
    e.preventDefault();
    onClose();
    const a = others.find((x) => x.id === to);
    void moveTurn(c, turn.id, a ? a.id : title.trim(), a ? a.title : title.trim());
  };
  return (
    <Dialog title={t("move.title")} onClose={onClose}>
      <form onSubmit={submit}>
        <blockquote class="quoted">{turn.said}</blockquote>
        <p class="small">{t("move.text")}</p>
        <fieldset>
          <legend>{t("move.where")}</legend>
          {others.map((a) => (
            <label class="check" key={a.id}><input type="radio" name="affair" checked={to === a.id} onChange={() => setTo(a.id)} /> <span>{a.title}</span></label>
          ))}
          <label class="check"><input type="radio" name="affair" checked={to === ""} onChange={() => setTo("")} /> <span>{t("move.new")}</span></label>
        </fieldset>
        {to === "" && <Field label={t("affair.title")} value={title} onInput={setTitle} focus />}
        <footer>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind="main" type="submit" disabled={to === "" && !title.trim()}>{t("move.do")}</Button>
        </footer>
      </form>
    </Dialog>
  );
}
