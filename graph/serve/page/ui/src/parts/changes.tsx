// The audit: who changed what, one commit after the other, each with its way back.
import { useState } from "preact/hooks";
import { api, ApiError, type Schemas } from "../core/api.ts";
import { changed } from "../core/load.ts";
import { to } from "../core/route.ts";
import { hasText, t } from "../core/text.ts";
import { toast } from "../core/toast.ts";
import { Button, Chip, Confirm, Time } from "../core/ui.tsx";
import { doing } from "./loaded.tsx";

export type Change = Schemas["AuditChange"];

// commits puts together what one commit changed, in the order of the list.
export function commits(items: Change[]): Change[][] {
  const of = new Map<number, Change[]>();
  for (const c of items) of.set(c.change, [...(of.get(c.change) ?? []), c]);
  return [...of.values()];
}

export async function undo(change: number): Promise<boolean> {
  const done = await doing(() => api.post("/api/v1/audit/{change}/undo", { path: { change } }));
  if (done) {
    toast(t("audit.undone", { n: change }));
    changed();
  }
  return done;
}

// changeMade returns the number of the change that a person has just made, 0 = none was. The answer to an edit does not name it, so the audit is asked at
// once: what others change later is not taken back in its place.
export async function changeMade(of: { id: string } | { turn_id: string }): Promise<number> {
  const found = await api.get("/api/v1/audit", { query: { ...of, limit: 100 } }).catch(() => null); // without it there is no way back in the toast
  return Math.max(0, ...(found?.items ?? []).filter((c) => c.by.who === "user").map((c) => c.change));
}

// retires reports whether a change had a record hold no longer.
export function retires(c: Change): boolean {
  if (c.kind !== "records") return false;
  return c.what === "gone" || (c.what === "changed" && (c.fields ?? []).some((f) => f.after && ["valid_to", "replaced_by", "archived_at"].includes(f.field)));
}

// restore takes back the newest change that had a record hold no longer; what was changed of it later stays.
export async function restore(id: string): Promise<boolean> {
  let last = 0;
  const found = await doing(async () => {
    for (const c of (await api.get("/api/v1/audit", { query: { id, limit: 1000 } })).items ?? []) if (c.id === id && retires(c)) last = Math.max(last, c.change);
    if (!last) throw new ApiError("not_found", 404, t("audit.no_retirement"));
  });
  return found && undo(last);
}

export function Commits(p: { items: Change[]; onUndone: () => void }) {
  return <ul class="plainlist commits">{commits(p.items).map((of) => <Commit key={of[0]!.change} of={of} onUndone={p.onUndone} />)}</ul>;
}

function Commit({ of, onUndone }: { of: Change[]; onUndone: () => void }) {
  const [asked, setAsked] = useState(false);
  const first = of[0]!;
  return (
    <li class="commit">
      <div class="row between">
        <div class="row"><Time at={first.at} /> <Chip>{byText(first.by.who)}</Chip> <span class="small">{first.by.path}</span>
          {first.by.turn && first.session_id && <a href={to`/s/${first.session_id}/t/${first.by.turn}`}>{t("audit.turn")}</a>}
        </div>
        <UndoButton n={first.change} onClick={() => setAsked(true)} />
      </div>
      {first.by.why && <p class="small">{first.by.why}</p>}
      {first.words && <blockquote class="words">{first.words}</blockquote>}
      <ul class="changed">{of.map((c) => <Changed key={c.kind + c.id} c={c} />)}</ul>
      {asked && <UndoConfirm of={of} onClose={() => setAsked(false)} onUndone={onUndone} />}
    </li>
  );
}

export function UndoButton(p: { n: number; onClick: () => void }) {
  return <Button label={t("audit.undo_change", { n: p.n })} onClick={p.onClick}>{t("ui.undo")}</Button>;
}

// UndoConfirm says how much a commit takes back with it.
export function UndoConfirm(p: { of: Change[]; onClose: () => void; onUndone: () => void }) {
  const first = p.of[0]!;
  const text = <><p>{t("audit.undo_text", { n: p.of.length })}</p><ul class="changed">{p.of.map((c) => <Changed key={c.kind + c.id} c={c} />)}</ul></>;
  return (
    <Confirm title={t("audit.undo_change", { n: first.change })} text={text} action={t("ui.undo")}
      onClose={p.onClose} onConfirm={() => void undo(first.change).then((done) => done && p.onUndone())} />
  );
}

export function byText(who: string): string {
  const key = `by.${who}`;
  return hasText(key) ? t(key) : who;
}

function whatText(what: string): string {
  return t(`what.${what}` as "what.made");
}

function Changed({ c }: { c: Change }) {
  const named = c.fields?.find((f) => f.field === "content" || f.field === "title" || f.field === "text");
  const name = String(named?.after ?? named?.before ?? c.id.slice(0, 8));
  const at = c.what === "gone" ? "" : c.kind === "records" ? to`/memory/${c.id}` : c.kind === "affairs" ? to`/affairs/${c.id}` : "";
  return (
    <li>
      <Chip kind={c.what === "made" ? "good" : c.what === "gone" ? "bad" : ""}>{whatText(c.what)}</Chip> {at ? <a href={at}>{name}</a> : name}
      {c.what === "changed" && (
        <dl class="fields">
          {(c.fields ?? []).map((f) => <div key={f.field}><dt>{f.field}</dt><dd><del>{valueText(f.before)}</del> <ins>{valueText(f.after)}</ins></dd></div>)}
        </dl>
      )}
    </li>
  );
}

// valueText shows a value of a field. Times are kept as {"$date": ...}.
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "object" && "$date" in value) return String(value.$date);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
