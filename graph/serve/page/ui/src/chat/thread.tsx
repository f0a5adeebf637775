// The turns of a conversation, the open questions behind them, and what is read aloud of a reply.
import { useSignal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { sessions } from "../core/session.ts";
import { t } from "../core/text.ts";
import { Button } from "../core/ui.tsx";
import { siblings, type Siblings } from "./branches.ts";
import type { Conversation } from "./conversation.ts";
import { QuestionCard } from "./question.tsx";
import { TurnView } from "./turn.tsx";

// shownAtOnce is how many turns are drawn; earlier ones are when they are asked for.
const shownAtOnce = 100;

export function Thread({ c, turn }: { c: Conversation; turn: string | undefined }) {
  const box = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const low = useRef(true); // the reader is at the end
  const top = useRef(0);
  const branches = useSignal<Siblings>(new Map());
  const turns = c.turns.value;
  const [most, setMost] = useState(shownAtOnce);
  const hidden = Math.max(0, turns.length - Math.max(most, turn ? turns.length - turns.findIndex((x) => x.id === turn) : 0));
  const last = turns.at(-1)?.id;

  useEffect(() => {
    let here = true;
    siblings(c.session).then((found) => { if (here) branches.value = found; }, () => {}); // without them there are no arrows
    return () => { here = false; };
  }, [c, last, turns.length, sessions.value]);

  useEffect(() => {
    if (turn && c.earlier.value && !turns.some((x) => x.id === turn)) void c.loadEarlier(turn);
  }, [c, turn, c.loaded.value]);

  // Who has said something wants to see it, and what is answered.
  const own = turns.filter((x) => x.working).at(-1)?.id;
  useEffect(() => {
    if (own) low.current = true;
  }, [own]);

  useEffect(() => {
    if (low.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [turns, c.questions.value]);

  // What is known of a turn comes later than its words and makes it taller: who is at the end stays there.
  useEffect(() => {
    const grown = new ResizeObserver(() => {
      if (low.current && box.current) box.current.scrollTop = box.current.scrollHeight;
    });
    grown.observe(inner.current!);
    grown.observe(box.current!); // a notice above makes it lower
    return () => grown.disconnect();
  }, []);

  useEffect(() => {
    if (turn) low.current = false;
    if (turn) document.getElementById(`turn-${turn}`)?.scrollIntoView({ block: "nearest" });
  }, [turn, c.loaded.value]);

  const scrolled = () => {
    const at = box.current;
    if (!at) return;
    if (at.scrollHeight - at.scrollTop - at.clientHeight < 80) low.current = true;
    else if (at.scrollTop < top.current) low.current = false; // he went up; what has only grown below him is followed
    top.current = at.scrollTop;
  };
  return (
    <div class="thread" ref={box} onScroll={scrolled} tabIndex={0} role="region" aria-label={t("chat.messages")}>
      <div ref={inner}>
        {c.broken.value && <div class="card failed" role="alert"><p>{c.broken.value}</p><Button onClick={() => void c.load()}>{t("chat.retry")}</Button></div>}
        {c.loaded.value && turns.length === 0 && <Welcome />}
        {hidden === 0 && c.earlier.value && <p><Button kind="quiet" onClick={() => { setMost(most + shownAtOnce); void c.loadEarlier(); }}>{t("chat.earlier_more")}</Button></p>}
        {hidden > 0 && <p><Button kind="quiet" onClick={() => setMost(most + shownAtOnce)}>{t("chat.earlier", { n: hidden })}</Button></p>}
        {turns.slice(hidden).map((x, at) => {
          const i = hidden + at;
          return <TurnView key={x.id} c={c} turn={x} before={turns[i - 1]?.id ?? (c.earlier.value || undefined)} isLast={i === turns.length - 1} open={x.id === turn} branches={branches.value.get(x.id)} />;
        })}
        {c.questions.value.map((q) => <QuestionCard key={q.id} question={q} onAnswer={(answer) => c.answer({ [q.id]: answer })} />)}
        <Aloud text={turns.at(-1)?.working ? (turns.at(-1)?.reply ?? "") : ""} />
      </div>
    </div>
  );
}

function Welcome() {
  return (
    <div class="welcome">
      <h2>{t("chat.welcome")}</h2>
      <p>{t("chat.welcome_text")}</p>
    </div>
  );
}

// Aloud has a screen reader say the sentences of a reply as each is complete.
function Aloud({ text }: { text: string }) {
  const end = Math.max(...[". ", "! ", "? ", "\n"].map((mark) => text.lastIndexOf(mark)));
  const sentences = text.slice(0, end + 1).split(/(?<=[.!?])\s|\n+/).filter((s) => s.trim());
  return <div class="hidden" aria-live="polite" aria-atomic="false">{sentences.map((s, i) => <p key={i}>{s}</p>)}</div>;
}
