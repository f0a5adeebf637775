// The models that are in use, each with a test call.
import { useState } from "preact/hooks";
import { api, type Schemas } from "../core/api.ts";
import { hasText, t } from "../core/text.ts";
import { problemText } from "../core/toast.ts";
import { number } from "../core/time.ts";
import { Button, Card, Chip, Empty } from "../core/ui.tsx";
import { Loading, useLoaded } from "../parts/loaded.tsx";
import { Refused } from "./refused.tsx";

export function Models() {
  const found = useLoaded(async (signal) => (await api.get("/api/v1/models", { signal })).items ?? [], []);
  if (found.error) return <Refused error={found.error} retry={found.reload} />;
  if (!found.value) return <Loading />;
  if (found.value.length === 0) return <Empty>{t("models.none")}</Empty>;
  return <>{found.value.map((m) => <One key={m.role} m={m} />)}</>;
}

function One({ m }: { m: Schemas["ModelAt"] }) {
  const [result, setResult] = useState<Schemas["Tested"] | "busy" | null>(null);
  const test = async () => {
    setResult("busy");
    try {
      setResult(await api.post("/api/v1/models/{role}/test", { path: { role: m.role as "chat" } }));
    } catch (err) {
      setResult({ ok: false, ms: 0, error: problemText(err) });
    }
  };
  const key = `models.role.${m.role}`;
  return (
    <Card title={hasText(key) ? t(key) : m.role}>
      <div class="row">
        <code>{m.name}</code>
        <Button label={t("models.test_of", { role: m.role })} onClick={() => void test()} disabled={result === "busy"}>{t("models.test")}</Button>
        <span role="status">
          {result === "busy" ? t("parts.loading") : result && (result.ok ? <Chip kind="good">{t("models.ok", { ms: number(result.ms) })}</Chip> : <><Chip kind="bad">{t("models.failed")}</Chip> <span class="error">{result.error}</span></>)}
        </span>
      </div>
    </Card>
  );
}
