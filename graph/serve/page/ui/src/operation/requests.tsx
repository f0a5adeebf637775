// What was asked of the service within the last hour, the newest first.
import { useState } from "preact/hooks";
import { api } from "../core/api.ts";
import { t } from "../core/text.ts";
import { number } from "../core/time.ts";
import { Button, Chip, Empty, Select, Time } from "../core/ui.tsx";
import { Loading, More, usePages } from "../parts/loaded.tsx";
import { Refused } from "./refused.tsx";

export function Requests() {
  const [from, setFrom] = useState<"0" | "400" | "500">("0");
  const query = from === "0" ? {} : { status_from: Number(from) };
  const pages = usePages((cursor, signal) => api.get("/api/v1/requests", { query: { ...query, limit: 100, ...(cursor ? { cursor } : {}) }, signal }), [from]);
  if (pages.error && !pages.loaded) return <Refused error={pages.error} retry={pages.reload} />;
  return (
    <>
      <div class="filters">
        <Select label={t("requests.which")} value={from} options={[["0", t("requests.all")], ["400", t("requests.refused")], ["500", t("requests.failed")]]} onChange={setFrom} />
        <Button onClick={pages.reload} disabled={pages.busy}>{t("operation.again")}</Button>
      </div>
      {!pages.loaded ? <Loading /> : pages.items.length === 0 ? <Empty>{t("requests.none")}</Empty> : (
        <div class="scroll" tabIndex={0} role="region" aria-label={t("operation.part.requests")}>
          <table class="whole">
            <thead><tr><th>{t("brain.at")}</th><th>{t("requests.status")}</th><th>{t("requests.operation")}</th><th class="num">{t("requests.ms")}</th><th>{t("keys.user")}</th><th>{t("requests.key")}</th><th>{t("requests.id")}</th></tr></thead>
            <tbody>
              {pages.items.map((r) => (
                <tr key={r.id}>
                  <td><Time at={r.at} /></td>
                  <td><Chip kind={r.status >= 500 ? "bad" : r.status >= 400 ? "warn" : "good"}>{r.status}</Chip></td>
                  <td><code>{r.method} {r.route}</code></td>
                  <td class="num">{number(r.ms)}</td>
                  <td>{r.user_id}</td>
                  <td><code>{r.key_id}</code></td>
                  <td><code title={r.id}>{r.id.slice(0, 8)}</code></td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {pages.error != null && <Refused error={pages.error} retry={pages.reload} />}
      <More of={pages} />
    </>
  );
}
