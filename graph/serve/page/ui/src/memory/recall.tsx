// What memory answers to a question, and how: what was found, what lies above the threshold, what fits the limit, and what was dropped.
import type { ComponentChildren } from "preact";
import { api, type Schemas } from "../core/api.ts";
import { to } from "../core/route.ts";
import { user } from "../core/session.ts";
import { t } from "../core/text.ts";
import { number, percent } from "../core/time.ts";
import { Card, Chip, Empty } from "../core/ui.tsx";
import { inAddress } from "../parts/address.ts";
import { Failed, Loading, useLoaded } from "../parts/loaded.tsx";
import { Superseded } from "../parts/superseded.tsx";

type Hit = Schemas["MemoryHit"];

const most = 100; // hits that are looked at

interface Found {
  hits: Hit[];
  threshold: number;
  limit: number;
}

async function ask(signal: AbortSignal): Promise<Found> {
  const affair = inAddress("affair");
  const session = inAddress("session");
  const day = (name: string, end = "T00:00:00") => (inAddress(name) ? new Date(inAddress(name) + end).toISOString() : undefined);
  const body: Schemas["RecallRequest"] = { text: inAddress("ask"), limit: most };
  if (affair) Object.assign(body, { affair_id: affair, scope: "current" });
  else if (session) Object.assign(body, { scope: "session" });
  if (session) body.session_id = session;
  if (inAddress("kind")) body.kinds = [inAddress("kind")];
  if (inAddress("agent")) body.agent = inAddress("agent");
  Object.assign(body, { from: day("from"), to: day("to", "T23:59:59"), as_of: day("as_of", "T23:59:59") });
  const [found, settings] = await Promise.all([api.post("/api/v1/recall", { body, signal }), api.get("/api/v1/settings", { signal })]);
  const set = settings as Record<string, Schemas["Setting"]>;
  return { hits: found.items ?? [], threshold: Number(set.memory_retrieve_threshold?.value ?? 0), limit: Number(set.memory_retrieve_limit?.value ?? 5) };
}

export function Recalled() {
  const names = ["ask", "kind", "affair", "session", "agent", "from", "to", "as_of"];
  const found = useLoaded(ask, [names.map(inAddress).join("\n"), user.value]);
  if (found.error) return <Failed error={found.error} retry={found.reload} back={{ at: to`/memory`, text: t("memory.show_all") }} />;
  if (!found.value) return <Loading />;
  const { hits, threshold, limit } = found.value;
  if (hits.length === 0) return <Empty>{t("search.none")}</Empty>;
  const above = hits.filter((h) => h.why.share >= threshold);
  const below = hits.filter((h) => h.why.share < threshold);
  const best = Math.max(...hits.map((h) => h.score));
  return (
    <>
      <Funnel hits={hits} above={above.length} limit={limit} threshold={threshold} />
      <Hits title={t("search.kept", { n: Math.min(limit, above.length) })} hits={above.slice(0, limit)} best={best} />
      <Dropped title={t("search.beyond", { n: Math.max(0, above.length - limit) })} hits={above.slice(limit)} best={best} />
      <Dropped title={t("search.below", { n: below.length })} hits={below} best={best} />
    </>
  );
}

function Funnel(p: { hits: Hit[]; above: number; limit: number; threshold: number }) {
  const of = (kind: string) => p.hits.filter((h) => h.of.startsWith(`${kind} `)).length;
  const words = p.hits.filter((h) => h.why.terms?.length).length;
  const linked = p.hits.filter((h) => h.why.linked?.length).length;
  return (
    <Card title={t("search.funnel")}>
      <ol class="funnel">
        <Stage text={t("search.stage_found")} n={p.hits.length} of={p.hits.length}>
          {p.hits.length >= most && <>{t("search.at_most", { n: most })} </>}
          {t("search.sources", { records: of("record"), messages: of("message"), affairs: of("affair") })}
        </Stage>
        <Stage text={t("search.stage_fused")} n={p.hits.length} of={p.hits.length}>{t("search.ways", { words, linked, near: p.hits.length - words })}</Stage>
        <Stage text={t("search.stage_threshold")} n={p.above} of={p.hits.length}>
          {t("search.threshold", { share: percent(p.threshold), n: p.hits.length - p.above })}
        </Stage>
        <Stage text={t("search.stage_limit")} n={Math.min(p.limit, p.above)} of={p.hits.length}>{t("search.limit", { limit: p.limit, n: Math.max(0, p.above - p.limit) })}</Stage>
      </ol>
    </Card>
  );
}

function Stage(p: { text: string; n: number; of: number; children: ComponentChildren }) {
  return (
    <li>
      <strong>{p.text}</strong> <span class="n">{number(p.n)}</span>
      <meter min={0} max={p.of} value={p.n} aria-label={p.text} />
      <span class="small">{p.children}</span>
    </li>
  );
}

function Dropped(p: { title: string; hits: Hit[]; best: number }) {
  if (p.hits.length === 0) return null;
  return <details class="dropped"><summary>{p.title}</summary><HitList hits={p.hits} best={p.best} /></details>;
}

function Hits(p: { title: string; hits: Hit[]; best: number }) {
  return <section><h2>{p.title}</h2><HitList hits={p.hits} best={p.best} /></section>;
}

function HitList(p: { hits: Hit[]; best: number }) {
  return <ol class="plainlist hits">{p.hits.map((h) => <OneHit key={h.of} h={h} best={p.best} />)}</ol>;
}

function OneHit({ h, best }: { h: Hit; best: number }) {
  return (
    <li class="hit">
      <div class="row small">
        <Chip>{t(`search.of.${h.of.split(" ")[0] as "record"}`)}</Chip>
        <meter min={0} max={best} value={h.score} aria-label={t("search.score")} /> <span title={t("search.score")}>{number(h.score, 2)}</span>
        <span title={t("search.share_says")}>{t("search.share", { share: percent(h.why.share) })}</span>
        <span>{h.source}</span>
      </div>
      <a href={addressOf(h)}><Superseded text={h.text} affair={h.message?.affair} at={h.message?.at} /></a>
      <Why h={h} />
    </li>
  );
}

function addressOf(h: Hit): string {
  const [kind, of = ""] = h.of.split(" ");
  if (kind === "affair") return to`/affairs/${of}`;
  if (kind === "record") return to`/memory/${of}`;
  const session = of.slice(0, of.lastIndexOf("/"));
  return h.turn ? to`/s/${session}/t/${h.turn}` : to`/s/${session}`;
}

// Why has each figure that made the score; those that changed nothing are left out.
function Why({ h }: { h: Hit }) {
  const fields = Object.entries(h.why.fields).filter(([, v]) => v > 0);
  const factors = Object.entries(h.why.factors).filter(([name, v]) => v !== (name === "bonus" ? 0 : 1));
  return (
    <details class="why">
      <summary>{t("search.why")}</summary>
      {h.why.terms && h.why.terms.length > 0 && <p>{h.why.terms.map((m) => <Chip key={m.term} title={m.via}>{m.term === m.word ? m.term : `${m.term} → ${m.word}`} ({m.via})</Chip>)}</p>}
      {h.why.linked && h.why.linked.length > 0 && <p>{t("search.linked")} {h.why.linked.join(", ")}</p>}
      <div class="row tops">
        <Figures title={t("search.fields")} of={fields} />
        <Figures title={t("search.factors")} of={factors} />
      </div>
    </details>
  );
}

function Figures(p: { title: string; of: [string, number][] }) {
  if (p.of.length === 0) return null;
  return (
    <table>
      <caption>{p.title}</caption>
      <tbody>{p.of.map(([name, v]) => <tr key={name}><th scope="row">{name}</th><td class="num">{number(v, 2)}</td></tr>)}</tbody>
    </table>
  );
}
