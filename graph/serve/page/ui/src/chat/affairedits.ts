// What is done with affairs. Each is told in a toast with its way back.
import { api, type Schemas } from "../core/api.ts";
import { changed } from "../core/load.ts";
import { t } from "../core/text.ts";
import { fail, toast } from "../core/toast.ts";
import { changeMade } from "../parts/changes.tsx";
import type { Affair } from "./conversation.ts";

type Edit = Schemas["AffairEdit"];

// doing runs an edit, tells of it with the way back, and has the lists read again. What was edited names the change that is taken back.
async function doing(what: () => Promise<unknown>, told: string, reload: () => void, of?: Parameters<typeof changeMade>[0]) {
  try {
    await what();
    const made = of ? await changeMade(of) : 0;
    toast(told, made ? () => void doing(() => api.post("/api/v1/audit/{change}/undo", { path: { change: made } }), t("ui.undone"), reload) : undefined);
    changed();
    reload();
  } catch (err) {
    fail(err);
  }
}

const put = (a: Affair, body: Edit) => api.put("/api/v1/affairs/{affair}", { path: { affair: a.id }, body, seen: a });

export function rename(a: Affair, title: string, reload: () => void) {
  return doing(() => put(a, { title }), t("affair.renamed", { title }), reload, { id: a.id });
}

// move takes an affair to another status. It becomes active in the given session.
export function move(a: Affair, status: NonNullable<Edit["status"]>, session: string, reload: () => void) {
  const told = { ACTIVE: t("affair.resumed", { title: a.title }), PARKED: t("affair.parked", { title: a.title }), RESOLVED: t("affair.resolved", { title: a.title }), ARCHIVED: t("affair.archived", { title: a.title }) }[status];
  const of = session ? { session_id: session } : {};
  return doing(() => put(a, { status, ...of }), told, reload, { id: a.id });
}

export function merge(a: Affair, into: Affair, reload: () => void) {
  const done = () => api.post("/api/v1/affairs/{affair}/merge", { path: { affair: a.id }, body: { into: into.id } });
  return doing(done, t("affair.merged", { title: a.title, into: into.title }), reload, { id: a.id });
}

// putTurn puts a turn under another affair, by its id or, where there is none yet, by its title.
export function putTurn(session: string, turn: string, affair: string, title: string, reload: () => void) {
  const done = () => api.post("/api/v1/affairs/{affair}/turns", { path: { affair }, body: { session_id: session, turn_id: turn } });
  return doing(done, t("affair.put", { title }), reload, { turn_id: turn });
}
