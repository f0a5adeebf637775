// How the service stands, and what it does in a lesser way than it could.
import { useState } from "preact/hooks";
import { api, type Schemas } from "../core/api.ts";
import { t } from "../core/text.ts";
import { toast } from "../core/toast.ts";
import { number } from "../core/time.ts";
import { Button, Card, Chip, Confirm, Time } from "../core/ui.tsx";
import { doing, Loading, useLoaded } from "../parts/loaded.tsx";
import { Refused } from "./refused.tsx";

export function Health() {
  const found = useLoaded((signal) => api.get("/api/v1/health", { signal }), []);
  if (found.error) return <Refused error={found.error} retry={found.reload} />;
  const h = found.value;
  if (!h) return <Loading />;
  return (
    <>
      <Card title={<>{t("health.status")} <Chip kind={h.status === "ok" ? "good" : "warn"}>{h.status}</Chip></>}>
        <dl class="facts-of">
          <dt>{t("health.version")}</dt><dd>{h.version}</dd>
          <dt>{t("health.since")}</dt><dd><Time at={h.since} /></dd>
          <dt>{t("health.turns")}</dt><dd>{number(h.turns)}</dd>
        </dl>
        <p><Button onClick={found.reload}>{t("operation.again")}</Button></p>
      </Card>
      {h.notes && h.notes.length > 0 && (
        <Card title={t("health.notes")}>
          <ul class="plainlist">{h.notes.map((n) => <li class="health-note" key={n.name}><Chip kind={n.choice ? "" : "warn"}>{n.name}</Chip> {n.text} {n.choice && <span class="small">{t("health.choice")}</span>}</li>)}</ul>
        </Card>
      )}
      {h.vectors && <Vectors of={h.vectors} reload={found.reload} />}
    </>
  );
}

function Vectors({ of, reload }: { of: Schemas["Vectors"]; reload: () => void }) {
  const [asked, setAsked] = useState(false);
  const again = of.rebuild;
  const rebuild = async () => {
    if (!(await doing(() => api.post("/api/v1/index/rebuild")))) return;
    toast(t("health.rebuild_began"));
    reload();
  };
  return (
    <Card title={t("health.vectors")}>
      <dl class="facts-of">
        <dt>{t("health.embedder")}</dt><dd>{of.model || t("health.not_reached")} {of.dim ? `(${number(of.dim)})` : ""}</dd>
        <dt>{t("health.waiting")}</dt><dd>{number(of.waiting)} <Time at={of.waiting_since} /></dd>
        {of.failure && <><dt>{t("health.failure")}</dt><dd class="error">{of.failure}</dd></>}
      </dl>
      {again && <p>{again.ended ? t("health.rebuild_over", { n: again.documents ?? 0 }) : <><progress max={again.users} value={again.users_done} aria-label={t("health.rebuild")} /> {t("health.rebuild_users", { n: again.users_done, of: again.users })}</>} {again.error && <span class="error">{again.error}</span>}</p>}
      <p><Button onClick={() => setAsked(true)}>{t("health.rebuild")}</Button></p>
      {asked && <Confirm title={t("health.rebuild")} text={<p>{t("health.rebuild_says")}</p>} action={t("health.rebuild")} onClose={() => setAsked(false)} onConfirm={() => void rebuild()} />}
    </Card>
  );
}
