// Accounts of turns, each read once.
import { signal, type Signal } from "@preact/signals";
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

export async function readAgain(session: string, turn: string) {
  try {
    const got = await api.get("/api/v1/sessions/{session}/turns/{turn}", { path: { session, turn } });
    const at = kept.get(`${session}/${turn}`);
    if (at) at.value = got;
  } catch (err) {
    kept.delete(`${session}/${turn}`);
    fail(err);
  }
}
