// Accounts of turns, each read once.
import { signal, type Signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { api, type Schemas } from "../core/api.ts";
import { fail } from "../core/toast.ts";

export type Account = Schemas["GraphAccount"];

const kept = new Map<string, Signal<Account | null>>();

// account returns the account of a turn; null until it is there.
export function account(session: string, turn: string): Signal<Account | null> {
  const name = `${session}/${turn}`;
  let found = kept.get(name);
  if (!found) {
    kept.set(name, (found = signal(null)));
    void readAgain(session, turn);
  }
  return found;
}

// readAgain reads an account anew, if somebody has asked for it.
export async function readAgain(session: string, turn: string) {
  if (!kept.has(`${session}/${turn}`)) return;
  try {
    const got = await api.get("/api/v1/sessions/{session}/turns/{turn}", { path: { session, turn } });
    const at = kept.get(`${session}/${turn}`);
    if (at) at.value = got;
  } catch (err) {
    kept.delete(`${session}/${turn}`);
    fail(err);
  }
}

// useAccount returns the account of a turn once the turn is seen, null until then: who scrolls past asks nothing.
export function useAccount(at: { current: Element | null }, session: string, turn: { id: string; working?: boolean; problem?: unknown }): Account | null {
  const [near, setNear] = useState(false);
  const over = !turn.working && !turn.problem;
  useEffect(() => {
    if (!over || !at.current) return;
    let soon = 0;
    const seen = new IntersectionObserver((e) => {
      clearTimeout(soon);
      if (e.at(-1)?.isIntersecting) soon = window.setTimeout(() => setNear(true), 200);
    });
    seen.observe(at.current);
    return () => {
      clearTimeout(soon);
      seen.disconnect();
    };
  }, [over]);
  return near && over ? account(session, turn.id).value : null;
}

// affairOf returns the affair that a turn went on with; none of one that asked aside, whose reader is at another.
export function affairOf(a: Account): string | undefined {
  return a.decision.type === "AD_HOC" ? undefined : (a.sources[a.question]?.affair ?? a.decision.target_affair_id);
}
