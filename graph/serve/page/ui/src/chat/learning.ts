// What a turn had memory learn, in the words that are kept: made of the changes that it caused, each with what was there before.
import { signal, type Signal } from "@preact/signals";
import { api, type Schemas } from "../core/api.ts";
import { fail } from "../core/toast.ts";
import type { Account } from "./accounts.ts";

export type Change = Schemas["AuditChange"];

export interface Learnt {
  kind: "kept" | "corrected" | "ended" | "waits"; // waits: it is a suggestion, which somebody has to approve
  of: "record" | "fact" | "todo" | "summary";
  label: string; // what a fact says, such as its price
  now: string;
  was: string;
  affair: string; // where it was filed; "" = with the user, whom it follows everywhere
  record: string;
  replaced: string; // the record in whose place it stands
}

// Moved is an affair whose standing changes were about.
export interface Moved {
  id: string;
  title: string;
  opened: boolean;
  before: string;
  after: string;
}

const known = new WeakMap<Account, Signal<Learnt[] | null>>();

// learnt returns what the turn of an account had memory learn; null until it is read. An account that is read again has it read again.
export function learnt(a: Account): Signal<Learnt[] | null> {
  let found = known.get(a);
  if (found) return found;
  known.set(a, (found = signal<Learnt[] | null>(a.writes?.length ? null : [])));
  if (!found.value) follow(a, found).catch(fail);
  return found;
}

// follow reads what a turn changed until all that its account says was written is among it: some stores carry that out behind the reply.
async function follow(a: Account, found: Signal<Learnt[] | null>): Promise<void> {
  for (let n = 1; n <= 8; n++) {
    const changes = await changesOf(a.session, a.turn, a.began);
    found.value = learntFrom(changes, a);
    if ((a.writes ?? []).every((w) => changes.some((c) => w.of.endsWith(c.id)))) return;
    await new Promise((over) => setTimeout(over, 150 * n));
  }
}

const skew = 60_000; // ms by which the clocks of what told a time and of what kept it may differ

// sinceText is a time, as the service is asked for what came after it.
export const sinceText = (at: string) => new Date(Date.parse(at) - skew).toISOString();

// changesOf returns what a turn changed, the newest first. When it began says how far back the service has to look.
export async function changesOf(session: string, turn: string, began = ""): Promise<Change[]> {
  const since = began ? { since: sinceText(began) } : {};
  return (await api.get("/api/v1/audit", { query: { turn_id: turn, session_id: session, limit: 1000, ...since } })).items ?? [];
}

// Doc is a document as changes left it, by its fields: what was there before all of them, and what is behind them.
interface Doc {
  kind: string;
  id: string;
  made: boolean;
  gone: boolean;
  was: Record<string, unknown>;
  now: Record<string, unknown>;
}

// docsOf puts together what changes, the newest first, did to each document.
function docsOf(changes: Change[]): Doc[] {
  const docs = new Map<string, Doc>();
  for (const c of [...changes].reverse()) {
    const at = `${c.kind} ${c.id}`;
    const doc = docs.get(at) ?? { kind: c.kind, id: c.id, made: c.what === "made", gone: false, was: {}, now: {} };
    docs.set(at, doc);
    doc.gone = c.what === "gone";
    for (const f of c.fields ?? []) {
      if (!(f.field in doc.was)) doc.was[f.field] = f.before;
      doc.now[f.field] = f.after;
    }
  }
  return [...docs.values()].filter((d) => !(d.made && d.gone));
}

// learntFrom tells what changes, the newest first, had memory learn. Texts that they do not have are those of an account's sources.
export function learntFrom(changes: Change[], a?: Account): Learnt[] {
  const docs = docsOf(changes);
  const made = new Set(docs.filter((d) => d.kind === "records" && d.made).map((d) => d.id));
  const text = (id: string) => textOf(docs, a, id);
  const found = docs.flatMap((d): Learnt[] => {
    switch (d.kind) {
      case "records": return ofRecord(d, made, text);
      case "affairs": return d.gone ? [] : ofAffair(d);
      case "suggestions": return d.made ? [{ ...nothing, kind: "waits", of: "record", now: str(d.now.text) || str(d.now.content) }] : [];
      default: return [];
    }
  });
  return [...found.filter((x) => x.of !== "summary"), ...found.filter((x) => x.of === "summary")];
}

const nothing: Learnt = { kind: "kept", of: "record", label: "", now: "", was: "", affair: "", record: "", replaced: "" };
const str = (value: unknown): string => (typeof value === "string" ? value : "");

// textOf returns the words of a record: as the changes have them, else as the account's sources do, which put its subject in front.
function textOf(docs: Doc[], a: Account | undefined, id: string): string {
  const changed = docs.find((d) => d.kind === "records" && d.id === id);
  const said = str(changed?.was.content) || str(changed?.now.content) || (a?.sources[`record ${id}`]?.text ?? "");
  const about = docs.find((d) => d.now.replaces === id);
  const subject = str(about?.now.subject);
  return subject && said.startsWith(`${subject}: `) ? said.slice(subject.length + 2) : said;
}

function ofRecord(d: Doc, made: Set<string>, text: (id: string) => string): Learnt[] {
  const one = { ...nothing, record: d.id, affair: str(d.now.affair) || str(d.was.affair) };
  const before = str(d.now.replaces);
  if (d.made) return [{ ...one, kind: before ? "corrected" : "kept", now: str(d.now.content), was: before ? text(before) : "", replaced: before }];
  if (d.gone) return [{ ...one, kind: "ended", was: str(d.was.content) }];
  if (str(d.now.content) !== str(d.was.content)) return [{ ...one, kind: "corrected", now: str(d.now.content), was: str(d.was.content) }];
  const over = d.now.replaced_by || d.now.valid_to || d.now.archived_at;
  return over && !made.has(str(d.now.replaced_by)) ? [{ ...one, kind: "ended", was: text(d.id) }] : [];
}

function ofAffair(d: Doc): Learnt[] {
  const one = { ...nothing, affair: d.id };
  const was = factsOf(d.was.key_facts);
  const now = factsOf(d.now.key_facts);
  const facts = [...new Set([...was.keys(), ...now.keys()])].flatMap((label): Learnt[] => {
    const [before = "", after = ""] = [was.get(label), now.get(label)];
    if (before === after) return [];
    return [{ ...one, kind: !after ? "ended" : before ? "corrected" : "kept", of: "fact", label, now: after, was: before }];
  });
  const [open, todo] = [textsOf(d.was.pending_actions), textsOf(d.now.pending_actions)];
  const fresh = todo.filter((x) => !open.includes(x)).map((x): Learnt => ({ ...one, of: "todo", now: x }));
  const done = open.filter((x) => !todo.includes(x)).map((x): Learnt => ({ ...one, kind: "ended", of: "todo", was: x }));
  const summary = str(d.now.summary) && d.now.summary !== d.was.summary ? [{ ...one, of: "summary" as const, now: str(d.now.summary) }] : [];
  return [...facts, ...fresh, ...done, ...summary];
}

function factsOf(value: unknown): Map<string, string> {
  const list = Array.isArray(value) ? (value as { label?: unknown; value?: unknown }[]) : [];
  return new Map(list.map((f) => [str(f?.label), str(f?.value)]));
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((x) => typeof x === "string") : [];
}

// movedBy returns the affairs that changes opened, or whose standing they changed.
export function movedBy(changes: Change[]): Moved[] {
  return docsOf(changes).filter((d) => d.kind === "affairs" && !d.gone && str(d.was.status) !== str(d.now.status))
    .map((d) => ({ id: d.id, title: str(d.now.title), opened: d.made, before: str(d.was.status), after: str(d.now.status) }));
}
