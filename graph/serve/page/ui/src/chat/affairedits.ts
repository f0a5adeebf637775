// What is done with affairs. Each is told in a toast with its way back.
import { api, type Schemas } from "../core/api.ts";
import { changed } from "../core/load.ts";
import { t } from "../core/text.ts";
import { fail, toast } from "../core/toast.ts";
import type { Affair } from "./conversation.ts";

type Edit = Schemas["AffairEdit"];

// doing runs an edit, tells of it and has the lists read again.
async function doing(what: () => Promise<unknown>, told: string, reload: () => void, undo?: () => Promise<unknown>) {
  try {
    await what();
    const back = undo && (() => void doing(undo, t("ui.undone"), reload));
    toast(told, back);
    changed();
    reload();
  } catch (err) {
    fail(err);
  }
}

const put = (affair: string, body: Edit) => api.put("/api/v1/affairs/{affair}", { path: { affair }, body });

export function rename(a: Affair, title: string, reload: () => void) {
  return doing(() => put(a.id, { title }), t("affair.renamed", { title }), reload, () => put(a.id, { title: a.title }));
}

// move takes an affair to another status. It becomes active in the given session.
export function move(a: Affair, status: NonNullable<Edit["status"]>, session: string, reload: () => void) {
  const told = { ACTIVE: t("affair.resumed", { title: a.title }), PARKED: t("affair.parked", { title: a.title }), RESOLVED: t("affair.resolved", { title: a.title }), ARCHIVED: t("affair.archived", { title: a.title }) }[status];
  const of = session ? { session_id: session } : {};
  return doing(() => put(a.id, { status, ...of }), told, reload, () => undoLast({ id: a.id }));
}

export function merge(a: Affair, into: Affair, reload: () => void) {
  const done = () => api.post("/api/v1/affairs/{affair}/merge", { path: { affair: a.id }, body: { into: into.id } });
  return doing(done, t("affair.merged", { title: a.title, into: into.title }), reload, () => undoLast({ id: a.id }));
}

// putTurn puts a turn under another affair, by its id or, where there is none yet, by its title.
export function putTurn(session: string, turn: string, affair: string, title: string, reload: () => void) {
  const done = () => api.post("/api/v1/affairs/{affair}/turns", { path: { affair }, body: { session_id: session, turn_id: turn } });
  return doing(done, t("affair.put", { title }), reload, () => undoLast({ turn_id: turn }));
}

// undoLast takes back the newest change of an affair or a turn. The answer to an edit does not name its change, so the audit does.
async function undoLast(of: { id: string } | { turn_id: string }) {
  const found = await api.get("/api/v1/audit", { query: { ...of, limit: 100 } });
  const change = Math.max(...(found.items ?? []).map((c) => c.change));
  await api.post("/api/v1/audit/{change}/undo", { path: { change } });
}
