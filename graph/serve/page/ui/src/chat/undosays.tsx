// What taking a turn back comes to, said before it is done: which affair is active then is part of it.
import { changesOf, movedBy, type Moved } from "./learning.ts";
import { affairs, titles } from "../core/session.ts";
import { t } from "../core/text.ts";
import { Empty } from "../core/ui.tsx";
import { useLoaded } from "../parts/loaded.tsx";

export function UndoSays({ session, turn }: { session: string; turn: string }) {
  const found = useLoaded(() => changesOf(session, turn).then(movedBy), [session, turn]);
  const moved = found.value ?? [];
  const opened = moved.filter((m) => m.opened);
  return (
    <>
      <p>{t("chat.undo_text")}</p>
      {!found.value && !found.error && <Empty>…</Empty>}
      {opened.map((m) => <p key={m.id}>{t("undo.opened", { title: m.title })}</p>)}
      <ActiveThen session={session} moved={moved} />
    </>
  );
}

// ActiveThen says which affair is active afterwards, where that is another than now.
function ActiveThen({ session, moved }: { session: string; moved: Moved[] }) {
  const now = affairs.value.find((a) => a.status === "ACTIVE" && a.session === session);
  const then = moved.find((m) => m.before === "ACTIVE");
  if (then && then.id !== now?.id) {
    const title = titles.value.get(then.id) ?? then.title;
    return <p><strong>{now ? t("undo.switches", { title, from: now.title }) : t("undo.resumes", { title })}</strong></p>;
  }
  const ends = !then && now && moved.some((m) => m.id === now.id && m.after === "ACTIVE");
  return ends ? <p><strong>{t("undo.none_active", { from: now.title })}</strong></p> : null;
}
