// The head of a conversation: its title, and what is done with it as a whole.
import { useSignal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { go, to } from "../core/route.ts";
import { t } from "../core/text.ts";
import { Button, Confirm, ID, Menu } from "../core/ui.tsx";
import { nameOf, user } from "../core/session.ts";
import { Rename } from "./affairmenu.tsx";
import type { Conversation } from "./conversation.ts";
import { clearMemory, clearWindow, endSession, renameSession, wouldClear } from "./sessionedits.ts";

export function Head({ c, onAffairs }: { c: Conversation; onAffairs: () => void }) {
  const open = useSignal<"" | "rename" | "session" | "global">("");
  const info = c.info.value;
  const close = () => { open.value = ""; };
  const active = c.affairs.value.find((a) => a.status === "ACTIVE");
  return (
    <header class="head">
      <div class="names">
        <h1>{info ? nameOf(info) : t("session.new")}</h1>
        <ID id={c.session} />
        {user.value && <span class="chip">{user.value}</span>}
      </div>
      <div class="row">
        <span class="affairs-button"><Button onClick={onAffairs}>{active ? active.title : t("affair.list")}</Button></span>
        <Menu label={t("session.actions")} items={[
          info ? { text: t("menu.timeline"), do: () => go(to`/s/${c.session}/timeline`) } : null,
          info ? { text: t("session.rename"), do: () => { open.value = "rename"; } } : null,
          info ? { text: t("session.end"), do: () => void endSession(c) } : null,
          info ? { text: t("session.clear_window"), do: () => void clearWindow(c) } : null,
          info ? { text: t("clear.session"), do: () => { open.value = "session"; }, danger: true } : null,
          { text: t("clear.global"), do: () => { open.value = "global"; }, danger: true },
        ]} />
      </div>
      {open.value === "rename" && <Rename title={info?.title ?? ""} onClose={close} onDone={(title) => void renameSession(c, title)} />}
      {open.value === "session" && <Clear session={c.session} onClose={close} />}
      {open.value === "global" && <Clear session="" onClose={close} />}
    </header>
  );
}

// Clear asks before memory is erased, and says how much that is.
function Clear({ session, onClose }: { session: string; onClose: () => void }) {
  const [n, setN] = useState<number | null>(null);
  useEffect(() => { wouldClear(session).then(setN, () => {}); }, []); // without a count it is asked without one
  const text = (
    <>
      <p>{t(session ? "clear.session_text" : "clear.global_text")}</p>
      {n !== null && <p><strong>{t("clear.count", { n })}</strong></p>}
    </>
  );
  return (
    <Confirm title={t(session ? "clear.session" : "clear.global")} text={text} action={t("clear.do")}
      {...(session ? {} : { typed: t("clear.word") })} onClose={onClose} onConfirm={() => void clearMemory(session)} />
  );
}
