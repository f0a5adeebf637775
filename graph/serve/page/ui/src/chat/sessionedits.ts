// What is done with a session as a whole.
import { api, ApiError, type Schemas } from "../core/api.ts";
import { changed } from "../core/load.ts";
import { go, to } from "../core/route.ts";
import { t } from "../core/text.ts";
import { fail, toast } from "../core/toast.ts";
import { newSession } from "../shell/shell.tsx";
import type { Conversation } from "./conversation.ts";

async function doing(what: () => Promise<unknown>, told: string, c: Conversation) {
  try {
    await what();
    toast(told);
    changed();
    await c.load();
  } catch (err) {
    fail(err);
  }
}

export function renameSession(c: Conversation, title: string) {
  return doing(() => api.patch("/api/v1/sessions/{session}", { path: { session: c.session }, body: { title } }), t("session.renamed", { title }), c);
}

// endSession ends the session's part: what is active is parked.
export function endSession(c: Conversation) {
  return doing(() => api.post("/api/v1/sessions/{session}/end", { path: { session: c.session } }), t("session.ended"), c);
}

// clearWindow takes what was said out of the prompt. It is still found by recall.
export function clearWindow(c: Conversation) {
  return doing(() => api.post("/api/v1/sessions/{session}/clear", { path: { session: c.session } }), t("session.window_cleared"), c);
}

// undoTurn takes a turn's messages out of the session, and what it changed in memory back.
export function undoTurn(c: Conversation, turn: string) {
  return doing(() => api.post("/api/v1/sessions/{session}/turns/{turn}/undo", { path: { session: c.session, turn } }), t("turn.undone"), c);
}

type Erased = Schemas["Erased"];

// wouldClear counts what clearing the memory of a session, or without one that of all sessions, would erase.
export async function wouldClear(session: string): Promise<number> {
  const receipt = await clear(session, true).catch(nothing);
  return receipt?.layers?.reduce((n, layer) => n + layer.planned, 0) ?? 0;
}

// nothing is the receipt of a memory with nothing in it: the service answers that with 404.
function nothing(err: unknown): null {
  if (err instanceof ApiError && err.code === "not_found") return null;
  throw err;
}

function clear(session: string, dry: boolean): Promise<Erased> {
  const query = { dry_run: dry };
  return session ? api.delete("/api/v1/memory/session/{session}", { path: { session }, query }) : api.delete("/api/v1/memory/global", { query });
}

// clearMemory erases, says how much went, and goes to a new session.
export async function clearMemory(session: string) {
  try {
    const receipt = await clear(session, false).catch(nothing);
    const n = Object.values(receipt?.counts ?? {}).reduce((sum, x) => sum + x, 0);
    const fresh = newSession();
    toast(t(session ? "clear.session_done" : "clear.global_done", { n, id: fresh }));
    if (receipt?.left) fail(new Error(t("clear.left", { n: receipt.left })));
    changed();
    go(to`/s/${fresh}`);
  } catch (err) {
    fail(err);
  }
}
