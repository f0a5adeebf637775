// Branches of a conversation. A branch is a session of its own; its id begins with that of the session it was forked from. Which turns
// two sessions share is seen by the turns' ids.
import { signal } from "@preact/signals";
import { api, ApiError } from "../core/api.ts";
import { changed } from "../core/load.ts";
import { go, to } from "../core/route.ts";
import { nameOf, sessions } from "../core/session.ts";
import { t } from "../core/text.ts";
import type { Options } from "./conversation.ts";

// next is what is said first in a branch that is opened.
export const next = signal<{ session: string; text: string; options: Options } | null>(null);

// root returns the session that a branch came from in the end.
export const root = (session: string) => session.split("~")[0] ?? session;

// branch opens a session that stands where this one stood before a turn, and says something there.
export async function branch(session: string, before: string | undefined, text: string, options: Options) {
  const fork = await forkBefore(session, before);
  next.value = { session: fork, text, options };
  go(to`/s/${fork}`);
}

// goBefore opens a session that stands where this one stood before a turn.
export async function goBefore(session: string, before: string | undefined) {
  const fork = await forkBefore(session, before);
  changed();
  go(to`/s/${fork}`);
}

// forkBefore returns the new session's id. One before the first turn begins when something is said in it.
async function forkBefore(session: string, before: string | undefined): Promise<string> {
  const fork = `${root(session)}~${crypto.randomUUID().slice(0, 6)}`;
  unnamed.set(fork, branchName(session));
  if (!before) return fork;
  await forkAfter(session, before, fork);
  await nameBranch(fork);
  return fork;
}

// forkAfter makes a session that stands behind a turn. A branch has no log of the turns before it: those are forked where they ran.
async function forkAfter(session: string, turn: string, fork: string) {
  const from = (at: string) => api.post("/api/v1/sessions/{session}/fork", { path: { session: at }, body: { to: fork, turn_id: turn } });
  try {
    await from(session);
  } catch (err) {
    const ran = err instanceof ApiError && err.code === "not_found" ? (await api.get("/api/v1/sessions/{session}/turns/{turn}", { path: { session, turn } })).session : session;
    if (ran === session) throw err;
    await from(ran);
  }
}

// unnamed are the names of branches that are not there yet.
const unnamed = new Map<string, string>();

// nameBranch gives a new branch its name, as soon as there is something in it.
export async function nameBranch(session: string) {
  const title = unnamed.get(session);
  if (title === undefined) return;
  unnamed.delete(session);
  await api.patch("/api/v1/sessions/{session}", { path: { session }, body: { title } });
}

const longestName = 160; // characters; the service takes 200

// branchName makes a name of that of the session which a branch comes from: the next number that is free.
function branchName(session: string): string {
  const nameAt = (id: string) => sessions.value.filter((s) => s.id === id).map(nameOf)[0]?.slice(0, longestName);
  const name = (base: string, n: number) => t("branch.name", { name: base, n });
  const first = nameAt(root(session));
  const here = nameAt(session) ?? first ?? session;
  const taken = new Set(sessions.value.map(nameOf));
  const numbers = Array.from({ length: taken.size + 2 }, (_, i) => i + 2);
  const base = first && numbers.some((n) => name(first, n) === here) ? first : here;
  return name(base, numbers.find((n) => !taken.has(name(base, n)))!);
}

// Siblings are the sessions of a branching: by the turn at which they part, those that have the same turns before it.
export type Siblings = Map<string, string[]>;

export async function siblings(session: string): Promise<Siblings> {
  const family = sessions.value.map((s) => s.id).filter((id) => root(id) === root(session));
  const out: Siblings = new Map();
  if (family.length < 2 || !family.includes(session)) return out;
  const all = await Promise.all(family.sort((a, b) => a.localeCompare(b)).map(async (id) => ({ id, turns: await turnsOf(id) })));
  const turns = all.find((x) => x.id === session)!.turns;

  let same = all; // those with the same turns so far
  for (const [at, turn] of turns.entries()) {
    const choices = new Map<string, string>(); // sessions by their turn at this place
    for (const other of same) {
      const theirs = other.turns[at];
      if (theirs && !choices.has(theirs)) choices.set(theirs, other.id);
    }
    choices.set(turn, session);
    if (choices.size > 1) out.set(turn, [...choices.values()]);
    same = same.filter((other) => other.turns[at] === turn);
    if (same.length < 2) break;
  }
  return out;
}

async function turnsOf(session: string): Promise<string[]> {
  const turns = new Set<string>();
  for (let cursor = ""; ; ) {
    const page = await api.get("/api/v1/sessions/{session}/messages", { path: { session }, query: { limit: 500, cursor } });
    for (const m of page.items ?? []) turns.add(m.turn);
    if (!(cursor = page.next_cursor ?? "")) return [...turns];
  }
}
