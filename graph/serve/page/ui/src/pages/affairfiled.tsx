// What is filed under an affair: searched, and listed.
import { useState } from "preact/hooks";
import { api, type Schemas } from "../core/api.ts";
import { to } from "../core/route.ts";
import { t } from "../core/text.ts";
import { number } from "../core/time.ts";
import { fail } from "../core/toast.ts";
import { Button, Card, Chip, Empty, Field, Time } from "../core/ui.tsx";

type Hit = Schemas["MemoryHit"];

export function Search({ affair }: { affair: string }) {
  const [query, setQuery] = useState("");
  const [hits, setHits] = useState<Hit[] | null>(null);
  const submit = async (e: Event) => {
    e.preventDefault();
    try {
      setHits((await api.get("/api/v1/affairs/{affair}/search", { path: { affair }, query: { query, limit: 20 } })).items ?? []);
    } catch (err) {
      fail(err);
    }
  };
  return (
    <Card>
      <form class="line-form" role="search" onSubmit={submit}>
        <Field label={t("affair.search")} value={query} onInput={setQuery} />
        <Button type="submit" disabled={!query.trim()}>{t("affair.search")}</Button>
      </form>
      {hits?.length === 0 && <Empty>{t("affair.no_hits")}</Empty>}
      <ol class="lines plainlist">{hits?.map((h) => <li key={h.of}><span class="text">{h.text}</span><span class="from small">{wayTo(h)} <span class="num">{number(h.score, 2)}</span></span></li>)}</ol>
    </Card>
  );
}

function wayTo(h: Hit) {
  if (h.record) return <a href={to`/memory/${h.record.id}`}>{t("source.record")}</a>;
  const session = /^message ([^/]+)\//.exec(h.of)?.[1];
  if (h.message && session) return <a href={to`/s/${session}/t/${h.message.turn}`}>{t("source.message", { number: h.message.seq })}</a>;
  return h.source;
}

export function Filed({ of: d }: { of: Schemas["MemoryDossier"] }) {
  const left = d.left_out.messages + d.left_out.records;
  return (
    <>
      {!!d.records?.length && (
        <Card title={t("affair.records")}>
          <ul class="lines plainlist">{d.records.map((r) => <li key={r.id}><a href={to`/memory/${r.id}`}>{r.subject}</a> <span class="text">{r.content}</span> <span class="from small"><Chip>{r.kind}</Chip> <Time at={r.recorded_at} /></span></li>)}</ul>
        </Card>
      )}
      {!!d.linked?.length && (
        <Card title={t("affair.linked")}>
          <ul>{d.linked.map((l) => <li key={l.id}><a href={l.affair ? to`/affairs/${l.id}` : to`/memory/${l.id}`}>{l.affair?.title ?? l.record?.content ?? l.id}</a> <span class="small">{l.via?.join(", ")}</span></li>)}</ul>
        </Card>
      )}
      <Card title={t("affair.said")}>
        <ul class="lines plainlist">
          {d.messages?.filter((m) => m.role !== "tool" && m.text).map((m) => (
            <li key={`${m.session}/${m.seq}`}>
              <span class="text">{m.text}</span>
              <span class="from small"><a href={to`/s/${m.session}/t/${m.turn}`}>{t("source.message", { number: m.seq })}</a> · {m.role} <Time at={m.at} /></span>
            </li>
          ))}
        </ul>
        {left > 0 && <p class="small">{t("affair.left_out", { n: left })}</p>}
      </Card>
    </>
  );
}
