// What a person may want to know of a reply, or to do about it, in plain words; the same row at each reply.
import { useSignal } from "@preact/signals";
import { to } from "../core/route.ts";
import { user } from "../core/session.ts";
import { t } from "../core/text.ts";
import { Button, Confirm } from "../core/ui.tsx";
import { GoBefore } from "./before.tsx";
import type { Conversation } from "./conversation.ts";
import { undoTurn } from "./sessionedits.ts";
import { UndoSays } from "./undosays.tsx";
import type { Turn } from "./turns.ts";

interface ActionsProps {
  c: Conversation;
  turn: Turn;
  before: string | undefined;
  open: boolean;
  onMove: () => void;
}

export function Actions({ c, turn, before, open, onMove }: ActionsProps) {
  const asks = useSignal<"" | "undo" | "before">("");
  const close = () => { asks.value = ""; };
  const account = to`/s/${c.session}/t/${turn.id}`;
  return (
    <>
      <a class="button quiet" href={open ? to`/s/${c.session}` : account} aria-current={open || undefined}>{t("chat.inspect")}</a>
      <a class="button quiet" href={`${account}${user.value ? "&" : "?"}part=writes`}>{t("chat.remembers")}</a>
      <Button kind="quiet" onClick={onMove}>{t("decision.wrong")}</Button>
      <Button kind="quiet" onClick={() => { asks.value = "undo"; }}>{t("chat.undo")}</Button>
      <Button kind="quiet" onClick={() => { asks.value = "before"; }}>{t("chat.before")}</Button>
      {asks.value === "undo" && (
        <Confirm title={t("writes.undo_all")} action={t("chat.undo")} onClose={close} onConfirm={() => void undoTurn(c, turn.id)}
          text={<><blockquote class="quoted">{turn.said}</blockquote><UndoSays session={c.session} turn={turn.id} /></>} />
      )}
      {asks.value === "before" && <GoBefore c={c} turn={turn} before={before} onClose={close} />}
    </>
  );
}
