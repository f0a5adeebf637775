// The affairs beside a conversation. A turn may be dropped on one.
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { to } from "../core/route.ts";
import { t } from "../core/text.ts";
import { Empty, moveFocus, Time } from "../core/ui.tsx";
import { AffairMenu } from "./affairmenu.tsx";
import type { Affair, Conversation } from "./conversation.ts";
import { moveTurn } from "./move.tsx";

const shownResolved = 5;

export function Affairs({ c }: { c: Conversation }) {
  const box = useRef<HTMLDivElement>(null);
  const all = c.affairs.value;
  const of = (status: string) => all.filter((a) => a.status === status);
  const resolved = of("RESOLVED");
  return (
    <div class="affairs" ref={box} onKeyDown={(e) => !(e.target as Element).closest("[role=menu]") && moveFocus(e, box.current, ".affair > .top > a")}>
      {c.loaded.value && all.length === 0 && <Empty>{t("affair.none")}</Empty>}
      <Group title={t("affair.group.active")} affairs={of("ACTIVE")} c={c} />
      <Group title={t("affair.group.parked")} affairs={of("PARKED")} c={c} />
      <Group title={t("affair.group.resolved")} affairs={resolved.slice(0, shownResolved)} c={c} />
      {resolved.length > shownResolved && (
        <details><summary>{t("affair.more", { n: resolved.length - shownResolved })}</summary><Group affairs={resolved.slice(shownResolved)} c={c} /></details>
      )}
    </div>
  );
}

function Group({ title, affairs, c }: { title?: string; affairs: Affair[]; c: Conversation }) {
  if (affairs.length === 0) return null;
  return (
    <section>
      {title && <h2>{title}</h2>}
      <ul class="plainlist">{affairs.map((a) => <Item key={a.id} a={a} c={c} />)}</ul>
    </section>
  );
}

function Item({ a, c }: { a: Affair; c: Conversation }) {
  const over = useSignal(false);
  const due = c.tasks.value.filter((r) => r.affair === a.id && r.due);
  const drop = (e: DragEvent) => {
    over.value = false;
    const turn = e.dataTransfer?.getData("application/x-mneme-turn");
    if (!turn) return;
    e.preventDefault();
    void moveTurn(c, turn, a.id, a.title);
  };
  const accept = (e: DragEvent) => {
    if (!e.dataTransfer?.types.includes("application/x-mneme-turn")) return;
    e.preventDefault();
    over.value = true;
  };
  return (
    <li class={`affair ${a.status.toLowerCase()} ${over.value ? "over" : ""}`} onDragOver={accept} onDragLeave={() => { over.value = false; }} onDrop={drop}>
      <div class="top">
        <a href={to`/affairs/${a.id}`}>{a.title}</a>
        <AffairMenu a={a} all={c.affairs.value} session={c.session} reload={() => void c.loadAside()} />
      </div>
      {a.status !== "RESOLVED" && !!a.pending_actions?.length && (
        <ul class="pending" aria-label={t("affair.pending")}>{a.pending_actions?.map((p) => <li key={p}>{p}</li>)}</ul>
      )}
      {due.map((r) => <p class="due" key={r.id}>{t("affair.due")} <Time at={r.due} /> {r.content}</p>)}
      {a.status === "ACTIVE" && <Facts of={a} />}
    </li>
  );
}

function Facts({ of }: { of: Affair }) {
  const facts = Object.entries(of.key_facts).slice(0, 4);
  return facts.length ? <dl class="facts">{facts.map(([label, value]) => <div key={label}><dt>{label}</dt><dd>{value}</dd></div>)}</dl> : null;
}
