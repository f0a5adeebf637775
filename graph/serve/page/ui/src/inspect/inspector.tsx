// Why a turn was answered as it was: decision, steps, prompt, recall, writes, bill.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { account, readAgain, type Account } from "../chat/accounts.ts";
import { byText, KindChip, Sure } from "../chat/decision.tsx";
import { reasonText } from "../core/reason.ts";
import { query, to } from "../core/route.ts";
import { titles } from "../core/session.ts";
import { hasText, t } from "../core/text.ts";
import { percent } from "../core/time.ts";
import { Button, Chip, Empty, Icon, ID, Time } from "../core/ui.tsx";
import { Superseded } from "../parts/superseded.tsx";
import { Bill, Nodes } from "./bill.tsx";
import { Prompts } from "./prompt.tsx";
import { Recalls } from "./recall.tsx";
import { Writes } from "./writes.tsx";

interface InspectorProps {
  session: string;
  turn: string;
  turns: string[]; // of the session, in order
  onClose: () => void;
  onChange: () => void;
}

export function Inspector({ session, turn, turns, onClose, onChange }: InspectorProps) {
  const box = useRef<HTMLElement>(null);
  const at = turns.indexOf(turn);
  const a = account(session, turn).value;
  const part = query.value.get("part") ?? "";
  useEffect(() => {
    const at = part ? document.getElementById(`part-${part}`) : null;
    if (at) at.scrollIntoView();
    else box.current?.scrollTo(0, 0);
  }, [turn, part, a !== null]);
  const keys = (e: KeyboardEvent) => e.key === "Escape" && !(e.target as Element).closest("dialog, .menu") && onClose();
  const changed = () => {
    void readAgain(session, turn);
    onChange();
  };
  return (
    <section class="inspector" aria-label={t("inspect.title")} ref={box} onKeyDown={keys} tabIndex={-1}>
      <header>
        <h2>{t("inspect.title")}</h2>
        <ID id={turn} />
        <span class="gap" />
        <Step session={session} turn={turns[at - 1]} label={t("inspect.before")} icon="before" />
        <Step session={session} turn={turns[at + 1]} label={t("inspect.after")} icon="after" />
        <Button kind="quiet" label={t("ui.close")} onClick={onClose}><Icon of="close" /></Button>
      </header>
      <Back session={session} />
      {a ? <Whole a={a} before={at > 0 ? turns[at - 1] : undefined} onChange={changed} /> : <Empty>…</Empty>}
    </section>
  );
}

function Step({ session, turn, label, icon }: { session: string; turn: string | undefined; label: string; icon: "before" | "after" }) {
  return turn ? <a class="button quiet" href={to`/s/${session}/t/${turn}`} aria-label={label} title={label}><Icon of={icon} /></a> : null;
}

// Back leads to the turn whose line this one was opened from.
function Back({ session }: { session: string }) {
  const from = query.value.get("from");
  if (!from) return null;
  return <p class="back"><a href={to`/s/${query.value.get("of") ?? session}/t/${from}`}>{t("inspect.back")}</a></p>;
}

export function Part({ title, name, note, children }: { title: string; name?: string; note?: ComponentChildren; children: ComponentChildren }) {
  return <section class="part" id={name && `part-${name}`}><h3>{title} {note && <span class="small">{note}</span>}</h3>{children}</section>;
}

function Whole({ a, before, onChange }: { a: Account; before: string | undefined; onChange: () => void }) {
  const end = `end.${a.end}`;
  return (
    <>
      <p class="row">
        <Chip kind={a.end === "answered" ? "good" : a.end === "failed" ? "bad" : "warn"}>{hasText(end) ? t(end) : a.end}</Chip>
        <Time at={a.began} />
        {a.attempts > 1 && <Chip kind="warn">{t("inspect.attempts", { n: a.attempts })}</Chip>}
      </p>
      {a.failure && <p class="error">{a.failure}</p>}
      <Said a={a} />
      <Decided a={a} />
      <Prompts a={a} before={before} />
      <Recalls a={a} />
      <Writes a={a} onChange={onChange} />
      <Part title={t("inspect.nodes")}><Nodes a={a} /></Part>
      <Part title={t("inspect.bill")}><Bill a={a} /></Part>
      {!!a.notes?.length && <Part title={t("inspect.notes")}><ul>{a.notes.map((n) => <li key={n}>{n}</li>)}</ul></Part>}
    </>
  );
}

function affairName(id: string): string {
  return titles.value.get(id) ?? id.slice(0, 8);
}

function Said({ a }: { a: Account }) {
  const question = a.sources[a.question];
  return question?.text ? <blockquote class="quoted"><Superseded text={question.text} affair={question.affair} at={question.at} /></blockquote> : null;
}

function Decided({ a }: { a: Account }) {
  const d = a.decision;
  if (!d.type) return null;
  return (
    <Part title={t("inspect.decision")}>
      {a.put_under && (
        <>
          <p class="row"><Chip kind="good moved">{t("decision.moved")}</Chip> <a href={to`/affairs/${a.put_under}`}>{affairName(a.put_under)}</a></p>
          <p class="small">{t("decision.moved_text", { title: affairName(a.put_under) })}</p>
        </>
      )}
      <p class="row">
        <KindChip of={d} />
        {d.target_affair_id && <a href={to`/affairs/${d.target_affair_id}`}>{d.title || affairName(d.target_affair_id)}</a>}
        <meter min={0} max={1} value={d.confidence} aria-label={t("inspect.confidence")} /> <Sure of={d} /> {percent(d.confidence)}
      </p>
      {d.reasoning && (a.put_under ? <p><del>{reasonText(d.reasoning)}</del></p> : <p>{reasonText(d.reasoning)}</p>)}
      {d.by && <p class="small">{t("decision.by", { by: byText(d.by) })}</p>}
      {a.weighed && <details class="figures"><summary>{t("decision.weighed")}</summary><p class="small" lang="en">{a.weighed}</p></details>}
    </Part>
  );
}
