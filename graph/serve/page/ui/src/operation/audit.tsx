// Everything that memory changed, the newest first, by session and time, each commit with its undo.
import { api } from "../core/api.ts";
import { sessions, user } from "../core/session.ts";
import { t } from "../core/text.ts";
import { Empty, Select } from "../core/ui.tsx";
import { inAddress, setInAddress } from "../parts/address.ts";
import { Commits, type Change } from "../parts/changes.tsx";
import { DayInAddress } from "../parts/inaddress.tsx";
import { Failed, Loading, More, usePages } from "../parts/loaded.tsx";

const most = 100;

interface Wanted {
  session: string;
  since: string;
  until: string;
}

// read returns whole commits only. The audit has no cursor: the time of the commit that was cut off is one, and its number.
async function read(want: Wanted, cursor: string | undefined, signal: AbortSignal): Promise<{ items: Change[]; next_cursor?: string }> {
  const [until = want.until, change = ""] = cursor?.split(" ") ?? [];
  const query = { limit: most, session_id: want.session, since: want.since, until };
  const all = (await api.get("/api/v1/audit", { query, signal })).items ?? [];
  const items = all.filter((c) => !change || c.change <= Number(change));
  const last = items.at(-1);
  if (all.length < most || !last) return { items };
  const whole = items.filter((c) => c.change !== last.change);
  if (whole.length === 0) return { items }; // one commit that is larger than a page ends the list
  return { items: whole, next_cursor: `${new Date(new Date(last.at).getTime() + 1).toISOString()} ${last.change}` };
}

export function Audit() {
  const day = (name: string, end: string) => (inAddress(name) ? new Date(inAddress(name) + end).toISOString() : "");
  const want = { session: inAddress("session"), since: day("from", "T00:00:00"), until: day("to", "T23:59:59") };
  const pages = usePages((cursor, signal) => read(want, cursor, signal), [JSON.stringify(want), user.value]);
  return (
    <>
      <div class="card filters">
        <Select label={t("memory.session")} value={want.session} options={[["", t("memory.any")], ...sessions.value.map((s) => [s.id, s.title || s.id] as const)]} onChange={(session) => setInAddress({ session })} />
        <DayInAddress name="from" label={t("memory.from")} />
        <DayInAddress name="to" label={t("memory.to")} />
      </div>
      {pages.error != null && <Failed error={pages.error} retry={pages.reload} />}
      {!pages.loaded && pages.busy ? <Loading /> : pages.items.length === 0 && pages.error == null && <Empty>{t("operation.no_audit")}</Empty>}
      <Commits items={pages.items} onUndone={pages.reload} />
      <More of={pages} />
    </>
  );
}
