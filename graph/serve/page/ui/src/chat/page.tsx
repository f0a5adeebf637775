// The chat of a session, its affairs beside it, and the account of a turn where the address names one.
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { Inspector } from "../inspect/inspector.tsx";
import { onElsewhere } from "../core/load.ts";
import { go, to, type Params } from "../core/route.ts";
import { t } from "../core/text.ts";
import { Dialog } from "../core/ui.tsx";
import { nameOf, titles, user } from "../core/session.ts";
import { Affairs } from "./affairs.tsx";
import { next } from "./branches.ts";
import { Composer } from "./composer.tsx";
import { Conversation } from "./conversation.ts";
import { Head } from "./head.tsx";
import { Thread } from "./thread.tsx";

export default function Chat({ params }: { params: Params }) {
  const session = params.session ?? "";
  const turn = params.turn;
  const c = useMemo(() => new Conversation(session), [session, user.value]);
  const drawer = useSignal(false);

  useEffect(() => {
    const first = next.value?.session === session ? next.value : null;
    next.value = null;
    void c.load().then(() => first && c.send(first.text, first.options));
    const end = onElsewhere(() => { if (!c.working.value) void c.load(); });
    return () => {
      end();
      c.leave();
    };
  }, [c]);

  useEffect(() => {
    document.title = `${c.info.value ? nameOf(c.info.value) : t("session.new")} – Mneme`;
  }, [c.info.value, titles.value]);

  const affairs = <Affairs c={c} />;
  return (
    <main class={turn ? "chat inspecting" : "chat"}>
      <div class="talk">
        <Head c={c} onAffairs={() => { drawer.value = true; }} />
        <Thread c={c} turn={turn} />
        <Composer key={`${user.value} ${session}`} c={c} />
      </div>
      {turn
        ? <Inspector session={session} turn={turn} turns={c.turns.value.map((x) => x.id)} onClose={() => go(to`/s/${session}`)} onChange={() => void c.load()} />
        : <section class="beside" aria-label={t("affair.list")}>{affairs}</section>}
      {drawer.value && <Dialog kind="drawer right" title={t("affair.list")} onClose={() => { drawer.value = false; }}>{affairs}</Dialog>}
    </main>
  );
}
