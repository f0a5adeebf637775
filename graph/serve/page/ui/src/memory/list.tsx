// Memory as a list: what is remembered, newest first, or what memory answers to a question.
import { useSignal } from "@preact/signals";
import { useState } from "preact/hooks";
import { api } from "../core/api.ts";
import { to } from "../core/route.ts";
import { user } from "../core/session.ts";
import { t } from "../core/text.ts";
import { fail, toast } from "../core/toast.ts";
import { Button, Check, Chip, Empty } from "../core/ui.tsx";
import { inAddress } from "../parts/address.ts";
import { Forget } from "../parts/forget.tsx";
import { Failed, Loading, More, usePages } from "../parts/loaded.tsx";
import { useTitle } from "../parts/title.ts";
import { Add } from "./add.tsx";
import { Brain } from "./brain.tsx";
import { Elsewhere } from "./elsewhere.tsx";
import { Filters } from "./filters.tsx";
import { Recalled } from "./recall.tsx";
import { Item, type Record } from "./item.tsx";

export default function Memory() {
  const adding = useSignal(false);
  useTitle(t("menu.memory"));
  return (
    <main class="wide memory">
      <div class="row between">
        <h1>{t("menu.memory")} {user.value && <Chip>{user.value}</Chip>}</h1>
        <div class="row">
          <a class="button" href={to`/memory/retired`}>{t("retired.link")}</a>
          <Button kind="main" onClick={() => { adding.value = true; }}>{t("memory.add")}</Button>
        </div>
      </div>
      <Brain />
      <Elsewhere />
      <Filters />
      {inAddress("ask") ? <Recalled /> : <List />}
      {adding.value && <Add onClose={() => { adding.value = false; }} />}
    </main>
  );
}

// wanted is what the address asks for, as the service calls it.
function wanted() {
  return {
    q: inAddress("q"), kind: inAddress("kind"), affair_id: inAddress("affair"), session_id: inAddress("session"), source_urn: inAddress("document"),
    ...(inAddress("pinned") ? { pinned: true } : {}), ...(inAddress("history") ? { history: true } : {}),
  };
}

function List() {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const want = wanted();
  const pages = usePages((cursor, signal) => api.get("/api/v1/records", { query: { ...want, limit: 50, ...(cursor ? { cursor } : {}) }, signal }), [JSON.stringify(want), user.value]);
  const reload = () => {
    setChosen(new Set());
    pages.reload();
  };
  const choose = (id: string, on: boolean) => {
    const next = new Set(chosen);
    if (on) next.add(id);
    else next.delete(id);
    setChosen(next);
  };
  if (pages.error && !pages.loaded) return <Failed error={pages.error} retry={pages.reload} />;
  if (!pages.loaded) return <Loading />;
  if (pages.items.length === 0) return <Nothing />;
  const all = pages.items.every((r) => chosen.has(r.id));
  return (
    <section aria-label={t("memory.list")}>
      <div class="bulk">
        <Check label={t("memory.all_shown", { n: pages.items.length })} value={all} onChange={(on) => setChosen(new Set(on ? pages.items.map((r) => r.id) : []))} />
        {chosen.size > 0 && <Bulk records={pages.items.filter((r) => chosen.has(r.id))} onDone={reload} />}
      </div>
      <ul class="plainlist records">
        {pages.items.map((r) => <Item key={r.id} r={r} chosen={chosen.has(r.id)} onChoose={(on) => choose(r.id, on)} onChanged={reload} />)}
      </ul>
      {pages.error != null && <Failed error={pages.error} retry={pages.more ?? pages.reload} />}
      <More of={pages} />
    </section>
  );
}

function Nothing() {
  const narrowed = Object.values(wanted()).some(Boolean);
  return narrowed ? <Empty>{t("memory.none_such")} <a href={to`/memory`}>{t("memory.show_all")}</a></Empty> : <Empty>{t("memory.none")} <a href={to`/`}>{t("memory.talk")}</a></Empty>;
}

function Bulk({ records, onDone }: { records: Record[]; onDone: () => void }) {
  const [forget, setForget] = useState(false);
  const pin = async (pinned: boolean) => {
    const all = await Promise.allSettled(records.map((r) => api.patch("/api/v1/records/{record}", { path: { record: r.id }, body: { pinned } })));
    const refused = all.find((one) => one.status === "rejected");
    if (refused) fail(refused.reason); // one for all: they are mostly the same
    const n = all.filter((one) => one.status === "fulfilled").length;
    if (n > 0) toast(t(pinned ? "memory.pinned_n" : "memory.unpinned_n", { n }));
    onDone();
  };
  return (
    <div class="row" role="group" aria-label={t("memory.chosen", { n: records.length })}>
      <span class="small">{t("memory.chosen", { n: records.length })}</span>
      <Button onClick={() => void pin(true)}>{t("record.pin")}</Button>
      <Button onClick={() => void pin(false)}>{t("record.unpin")}</Button>
      <Button kind="danger" onClick={() => setForget(true)}>{t("record.forget")}</Button>
      {forget && <Forget title={t("forget.records", { n: records.length })} targets={records.map((r) => ({ record: r.id }))} onClose={() => { setForget(false); onDone(); }} onDone={() => {}} />}
    </div>
  );
}
