// What was retired within a week: replaced, ended, archived or erased, by whom and why, with the way back.
import { useState } from "preact/hooks";
import { api } from "../core/api.ts";
import { to } from "../core/route.ts";
import { user } from "../core/session.ts";
import { t } from "../core/text.ts";
import { Button, Chip, Empty, Select, Time } from "../core/ui.tsx";
import { inAddress, setInAddress } from "../parts/address.ts";
import { byText, commits, retires, UndoButton, UndoConfirm, type Change } from "../parts/changes.tsx";
import { Failed, Loading, useLoaded } from "../parts/loaded.tsx";
import { useTitle } from "../parts/title.ts";
import { ended, textOf, type Record } from "./item.tsx";

const day = 24 * 3600 * 1000;
const shown = 50; // at first, and more with each press

export default function Retired() {
  const days = inAddress("days") || "7";
  const [most, setMost] = useState(shown);
  useTitle(t("retired.title"));
  const found = useLoaded(async (signal) => {
    const since = new Date(Date.now() - Number(days) * day).toISOString();
    return commits((await api.get("/api/v1/audit", { query: { since, limit: 1000 }, signal })).items ?? []).filter((of) => of[0]!.by.path !== "undo" && of.some(retires)); // what an undo took back was asked for
  }, [days, user.value]);
  return (
    <main class="narrow">
      <p><a href={to`/memory`}>← {t("menu.memory")}</a></p>
      <h1>{t("retired.title")}</h1>
      <p>{t("retired.text")}</p>
      <div class="filters"><Select label={t("retired.within")} value={days} options={["1", "7", "30"].map((n) => [n, t("retired.days", { n: Number(n) })] as const)} onChange={(v) => setInAddress({ days: v === "7" ? "" : v })} /></div>
      {found.error ? <Failed error={found.error} retry={found.reload} back={{ at: to`/memory`, text: t("memory.show_all") }} /> : !found.value ? <Loading /> : (
        <>
          {found.value.length === 0 && <Empty>{t("retired.none")}</Empty>}
          <ul class="plainlist commits">{found.value.slice(0, most).map((of) => <One key={of[0]!.change} of={of} onUndone={found.reload} />)}</ul>
          {found.value.length > most && <Button onClick={() => setMost(most + shown)}>{t("parts.more")}</Button>}
        </>
      )}
    </main>
  );
}

function One({ of, onUndone }: { of: Change[]; onUndone: () => void }) {
  const [asked, setAsked] = useState(false);
  const first = of[0]!;
  const gone = of.filter(retires);
  const now = useLoaded((signal) => Promise.all(gone.map((c) => recordsOf(c, signal))), [first.change]);
  const holds = now.value?.every((r) => r.was && !ended(r.was)) ?? false;
  return (
    <li class="commit">
      <div class="row between">
        <div class="row"><Time at={first.at} /> <Chip>{byText(first.by.who)}</Chip> <span class="small">{first.by.path}</span>
          {first.by.turn && first.session_id && <a href={to`/s/${first.session_id}/t/${first.by.turn}`}>{t("audit.turn")}</a>}
        </div>
        {holds ? <Chip kind="good">{t("retired.back")}</Chip> : <UndoButton n={first.change} onClick={() => setAsked(true)} />}
      </div>
      {first.by.why && <p class="small">{first.by.why}</p>}
      {gone.map((c, i) => <Went key={c.id} c={c} records={now.value?.[i]} />)}
      {asked && <UndoConfirm of={of} onClose={() => setAsked(false)} onUndone={() => { now.reload(); onUndone(); }} />}
    </li>
  );
}

interface Records {
  was: Record | null;
  by: Record | null;
}

// recordsOf reads what a change retired, which the audit names only by its id, and what stands in its place. Either may be erased by now.
async function recordsOf(c: Change, signal: AbortSignal): Promise<Records> {
  const read = async (id: unknown) => (id ? await api.get("/api/v1/records/{record}", { path: { record: String(id) }, signal }).catch(() => null) : null);
  const [was, by] = await Promise.all([read(c.what === "gone" ? "" : c.id), read(c.fields?.find((f) => f.field === "replaced_by")?.after)]);
  return { was, by };
}

function Went({ c, records }: { c: Change; records: Records | undefined }) {
  const replaced = c.fields?.some((f) => f.field === "replaced_by" && f.after);
  const before = c.fields?.find((f) => f.field === "content")?.before;
  return (
    <p class="went">
      {c.what === "gone" ? <Chip kind="bad">{t("what.gone")}</Chip> : <Chip kind="warn">{t(replaced ? "record.is_replaced" : "record.is_ended")}</Chip>}{" "}
      {records?.was ? <a href={to`/memory/${c.id}`}>{textOf(records.was)}</a> : <span>{before ? String(before) : c.id}</span>}
      {records?.by && <><br /><span class="small">{t("retired.by")}</span> <a href={to`/memory/${records.by.id}`}>{textOf(records.by)}</a></>}
    </p>
  );
}
