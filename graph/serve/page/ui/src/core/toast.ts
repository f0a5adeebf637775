// Short notices at the edge of the page, with a way back where there is one.
import { signal } from "@preact/signals";
import { ApiError } from "./api.ts";
import { signed } from "./session.ts";
import { t, type Key } from "./text.ts";

export interface Notice {
  id: number;
  text: string;
  bad: boolean;
  undo?: () => void;
}

export const notices = signal<Notice[]>([]);
let last = 0;

export function drop(id: number) {
  notices.value = notices.value.filter((n) => n.id !== id);
}

export function toast(text: string, undo?: () => void) {
  add({ id: ++last, text, bad: false, ...(undo ? { undo } : {}) }, undo ? 15000 : 6000);
}

function add(n: Notice, stays: number) {
  notices.value = [...notices.value.slice(-3), n];
  setTimeout(() => drop(n.id), stays);
}

// fail says what went wrong: the code in the user's language, and the service's own words.
export function fail(err: unknown) {
  if (err instanceof DOMException && err.name === "AbortError") return;
  if (err instanceof ApiError && err.status === 401 && signed.value === "out") return;
  add({ id: ++last, text: problemText(err), bad: true }, 12000);
}

export function problemText(err: unknown): string {
  if (!(err instanceof ApiError)) return String(err);
  const id = err.requestID ? ` (${err.requestID.slice(0, 8)})` : "";
  const known = knownProblem(err);
  if (known) return t(known);
  return `${t(`error.${err.code}` as Key)} ${err.status ? err.detail : ""}${id}`;
}

// knownProblem returns the text of a problem that has one of its own: two tabs at the same thing.
export function knownProblem(err: { code: string; status: number; detail: string }): Key | null {
  if (err.status === 412) return "error.changed";
  return err.code === "conflict" && /\bbusy\b|turn runs in it/.test(err.detail) ? "error.busy" : null;
}
