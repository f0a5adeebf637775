// A turn: what was said, what was decided and done, and the reply.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { Markdown } from "../core/markdown.tsx";
import { go, to } from "../core/route.ts";
import { hasText, t } from "../core/text.ts";
import { knownProblem, toast } from "../core/toast.ts";
import { Button, Icon, Menu, Time } from "../core/ui.tsx";
import { useAccount, type Account } from "./accounts.ts";
import { branch } from "./branches.ts";
import type { Conversation } from "./conversation.ts";
import { DecisionChip } from "./decision.tsx";
import { PutRight } from "./learnt.tsx";
import { MoveTurn } from "./move.tsx";
import { optionsWith } from "./options.ts";
import { piecesOf, wayOfQuote } from "./quotes.ts";
import { fail } from "../core/toast.ts";
import { Actions } from "./actions.tsx";
import { Steps } from "./steps.tsx";
import type { Turn } from "./turns.ts";

interface TurnProps {
  c: Conversation;
  turn: Turn;
  before: string | undefined;
  isLast: boolean;
  open: boolean;
  branches: string[] | undefined;
}

export function TurnView({ c, turn, before, isLast, open, branches }: TurnProps) {
  const editing = useSignal(false);
  const moving = useSignal(false);
  const box = useRef<HTMLElement>(null);
  const a = useAccount(box, c.session, turn);
  const over = !turn.working && !c.working.value;
  const again = (text: string) => void branch(c.session, before, text, optionsWith(turn.files)).catch(fail);
  const drag = (e: DragEvent) => e.dataTransfer?.setData("application/x-mneme-turn", turn.id);
  const copy = async () => {
    await navigator.clipboard.writeText(turn.reply);
    toast(t("chat.copied"));
  };
  return (
    <article ref={box} id={`turn-${turn.id}`} class={open ? "turn open" : "turn"} aria-label={t("chat.turn")}>
      <div class="said" draggable={over} onDragStart={drag}>
        {editing.value
          ? <Edit text={turn.said} onDone={(text) => { editing.value = false; if (text) again(text); }} />
          : <Said text={turn.said} />}
        {turn.files.map((f) => <span class="file" key={f.name}><Icon of="attach" /> {f.name}</span>)}
        <div class="under">
          <Time at={turn.at} />
          {branches && <Arrows session={c.session} branches={branches} />}
          {over && !editing.value && <Button kind="quiet" label={t("chat.edit")} onClick={() => { editing.value = true; }}><Icon of="edit" /></Button>}
        </div>
      </div>
      <DecisionChip turn={turn} a={a} affairs={c.affairs.value} />
      <Steps steps={turn.steps} working={turn.working === true} />
      {turn.working && !turn.reply && <p class="doing">{working(c.node.value)}</p>}
      {turn.reply && <Reply text={turn.reply} a={a} />}
      {a && <PutRight a={a} />}
      {turn.cut && <p class="small">{t("chat.cut")}</p>}
      {turn.problem && <Failed turn={turn} onAgain={() => void c.send(turn.said, optionsWith(turn.files), turn.id)} />}
      {over && !turn.problem && (
        <div class="under" role="group" aria-label={t("chat.actions")}>
          <Actions c={c} turn={turn} before={before} open={open} onMove={() => { moving.value = true; }} />
          {turn.reply && <Button kind="quiet" label={t("chat.copy")} onClick={copy}><Icon of="copy" /></Button>}
          {isLast && <Button kind="quiet" label={t("chat.retry")} onClick={() => again(turn.said)}><Icon of="retry" /></Button>}
          <Menu label={t("chat.more")} items={[
            { text: t("chat.edit"), do: () => { editing.value = true; } },
            { text: t("chat.retry"), do: () => again(turn.said) },
          ]} />
        </div>
      )}
      {moving.value && <MoveTurn c={c} turn={turn} onClose={() => { moving.value = false; }} />}
    </article>
  );
}

// Reply has its quotes of memory lead to where they come from, as soon as that is known.
function Reply({ text, a }: { text: string; a: Account | null }) {
  const linked = useMemo(() => a && ((part: string) => piecesOf(part).map((p) => (p.quote ? <Quote a={a} text={p.text} /> : p.text))), [a]);
  return <div class="reply"><Markdown text={text} linked={linked ?? undefined} /></div>;
}

function Quote({ a, text }: { a: Account; text: string }) {
  const way = wayOfQuote(a, text);
  return way ? <a class="quote" href={way.to} title={way.says}>{text}<span class="hidden"> ({way.says})</span></a> : <>{text}</>;
}

const mostShown = 1500; // characters of a message, or so many lines
const mostLines = 20;

// Said folds a long message.
function Said({ text }: { text: string }) {
  const whole = useSignal(false);
  const long = text.length > mostShown || text.split("\n", mostLines + 1).length > mostLines;
  if (!long) return <p class="text">{text}</p>;
  const head = text.split("\n").slice(0, mostLines).join("\n").slice(0, mostShown);
  return (
    <>
      <p class="text">{whole.value ? text : `${head}…`}</p>
      <Button kind="quiet" expanded={whole.value} onClick={() => { whole.value = !whole.value; }}>{t(whole.value ? "chat.less" : "chat.whole", { n: text.length })}</Button>
    </>
  );
}

function working(node: string): ComponentChildren {
  const key = `node.${node}`;
  return hasText(key) ? t(key) : t("node.intake");
}

function Edit({ text, onDone }: { text: string; onDone: (text: string) => void }) {
  const now = useSignal(text);
  return (
    <form onSubmit={(e) => { e.preventDefault(); onDone(now.value.trim()); }} onKeyDown={(e) => e.key === "Escape" && onDone("")}>
      <textarea rows={3} aria-label={t("chat.edit")} value={now.value} ref={(at) => at?.focus()} onInput={(e) => { now.value = e.currentTarget.value; }} />
      <div class="row">
        <Button kind="main" type="submit">{t("chat.send_branch")}</Button>
        <Button onClick={() => onDone("")}>{t("ui.cancel")}</Button>
      </div>
    </form>
  );
}

function Failed({ turn, onAgain }: { turn: Turn; onAgain: () => void }) {
  const p = turn.problem!;
  const key = `error.${p.code}`;
  const known = knownProblem({ code: p.code, status: p.status, detail: p.detail ?? "" });
  return (
    <div class="card failed" role="alert">
      <p>{known ? t(known) : `${hasText(key) ? t(key) : p.title} ${p.detail ?? ""}`}</p>
      <div class="row"><Button onClick={onAgain}>{t("chat.retry")}</Button>{p.request_id && <span class="small">{p.request_id.slice(0, 8)}</span>}</div>
    </div>
  );
}

// Arrows go from branch to branch.
function Arrows({ session, branches }: { session: string; branches: string[] }) {
  const at = branches.indexOf(session);
  const step = (by: number) => go(to`/s/${branches[at + by] ?? session}`);
  return (
    <span class="arrows">
      <Button kind="quiet" label={t("chat.branch_before")} disabled={at <= 0} onClick={() => step(-1)}><Icon of="before" /></Button>
      <span aria-label={t("chat.branch", { at: at + 1, of: branches.length })}>{at + 1}/{branches.length}</span>
      <Button kind="quiet" label={t("chat.branch_after")} disabled={at >= branches.length - 1} onClick={() => step(1)}><Icon of="after" /></Button>
    </span>
  );
}
