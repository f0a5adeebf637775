// Batch jobs: what waits to be read by a model, what was sent, and what came back.
import { useState } from "preact/hooks";
import { api, type Schemas } from "../core/api.ts";
import { t } from "../core/text.ts";
import { toast } from "../core/toast.ts";
import { number } from "../core/time.ts";
import { Button, Card, Chip, Empty, ID, Time } from "../core/ui.tsx";
import { doing, Loading, useLoaded } from "../parts/loaded.tsx";
import { Refused } from "./refused.tsx";

export function Batches() {
  const [busy, setBusy] = useState(false);
  const found = useLoaded((signal) => api.get("/api/v1/batches", { signal }), []);
  if (found.error) return <Refused error={found.error} retry={found.reload} />;
  const s = found.value;
  if (!s) return <Loading />;
  const send = async () => {
    setBusy(true);
    const done = await doing(() => api.post("/api/v1/batches"));
    setBusy(false);
    if (!done) return;
    toast(t("batches.sent"));
    found.reload();
  };
  return (
    <>
      <Card title={t("batches.standing")}>
        <dl class="facts-of">
          <dt>{t("batches.waiting")}</dt><dd>{number(s.waiting)} <Time at={s.since} /></dd>
          <dt>{t("batches.asked")}</dt><dd>{number(s.asked)}</dd>
          {s.planned && <><dt>{t("batches.planned")}</dt><dd><Time at={s.planned} /></dd></>}
        </dl>
        <div class="row">
          <Button kind="main" onClick={() => void send()} disabled={busy}>{t("batches.send")}</Button>
          <Button onClick={found.reload}>{t("operation.again")}</Button>
        </div>
      </Card>
      {s.jobs?.length ? s.jobs.map((j) => <Job key={j.id} j={j} />) : <Empty>{t("batches.none")}</Empty>}
    </>
  );
}

function Job({ j }: { j: Schemas["JobsJob"] }) {
  const c = j.counts;
  return (
    <Card level={3} title={<>{j.provider} {j.model} <Chip kind={j.error ? "bad" : j.ended_at ? "good" : "warn"}>{j.state}</Chip></>}>
      <dl class="facts-of">
        <dt>{t("keys.id")}</dt><dd><ID id={j.id} /> {j.remote && <code>{j.remote}</code>}</dd>
        <dt>{t("batches.at")}</dt><dd><Time at={j.at} /></dd>
        {j.ended_at && <><dt>{t("batches.ended")}</dt><dd><Time at={j.ended_at} /></dd></>}
        <dt>{t("batches.items")}</dt><dd>{t("batches.counts", { items: j.items, back: c.back, read: c.read, learnt: c.learnt, rules: c.by_rules, strange: c.strange })}</dd>
        {j.said && <><dt>{t("batches.said")}</dt><dd>{j.said}</dd></>}
        {j.error && <><dt>{t("health.failure")}</dt><dd class="error">{j.error}</dd></>}
      </dl>
    </Card>
  );
}
