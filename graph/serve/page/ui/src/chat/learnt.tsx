// What a turn had memory learn, as it is shown: at its reply what it put right, and in its account all of it.
import { to } from "../core/route.ts";
import { affairs, titles } from "../core/session.ts";
import { t } from "../core/text.ts";
import { Chip } from "../core/ui.tsx";
import { affairOf, type Account } from "./accounts.ts";
import { isUnsure } from "./decision.tsx";
import { learnt, type Learnt } from "./learning.ts";

// PutRight is what the message of a turn put right, and what of it went to another affair: with where that is. If it was not sure which affair is meant, it
// is all that was kept.
export function PutRight({ a }: { a: Account }) {
  const affair = affairOf(a);
  const unsure = isUnsure(a.decision);
  const asks = unsure || !affair || (a.writes ?? []).some((w) => /key facts|pending actions|ended/.test(w.what)); // what else is written puts nothing right
  const told = (x: Learnt) => x.of !== "summary" && (unsure || x.kind === "corrected" || x.kind === "ended" || (x.affair && x.affair !== affair));
  const found = asks ? (learnt(a).value ?? []).filter(told) : [];
  if (found.length === 0) return null;
  return <div class="put-right" role="group" aria-label={t("learnt.put_right")}><Learning items={found} a={a} affair={affair} /></div>;
}

// Learning lists what was learnt, each with its place.
export function Learning({ items, a, affair }: { items: Learnt[]; a?: Account; affair: string | undefined }) {
  return <ul class="lines plainlist">{items.map((x, i) => <One key={i} of={x} over={isOver(x, a)} affair={affair} />)}</ul>;
}

function One({ of: x, over, affair }: { of: Learnt; over: boolean; affair: string | undefined }) {
  return (
    <li class={`learnt ${x.kind}`}>
      <span class="text">{x.of === "todo" ? `${t("write.pending_actions")}: ` : x.of === "summary" ? `${t("write.summary")}: ` : x.label && `${x.label}: `}<Words of={x} over={over} /></span>
      <span class="from small"><Chip kind={x.kind === "kept" ? "good" : x.kind === "corrected" ? "" : "warn"}>{t(`learnt.${x.kind}`)}</Chip> <Place of={x} affair={affair} /> {over && <Chip kind="warn">{t("source.ended")}</Chip>}</span>
    </li>
  );
}

// Words are those that hold, behind those that held before. Who hears them is told which is which.
function Words({ of: x, over }: { of: Learnt; over: boolean }) {
  const gone = x.kind === "ended" && !x.was;
  return (
    <>
      {x.was && <><span class="hidden">{t("learnt.before")} </span><del>{x.was}</del> </>}
      {x.was && x.now && <><span aria-hidden="true">→ </span><span class="hidden">{t("learnt.now")} </span></>}
      {x.now && (over ? <del>{x.now}</del> : x.was ? <ins>{x.now}</ins> : x.now)}
      {gone && <em>{t("source.gone")}</em>}
    </>
  );
}

function Place({ of: x, affair }: { of: Learnt; affair: string | undefined }) {
  if (x.kind === "waits") return <a href={to`/inbox`}>{t("menu.inbox")}</a>;
  const title = titles.value.get(x.affair) ?? "";
  const place = !x.affair ? t("learnt.you") : t(x.affair === affair ? "learnt.here" : "learnt.elsewhere", { title });
  return <a href={x.record ? to`/memory/${x.record}` : to`/affairs/${x.affair}`}>{place}</a>;
}

// isOver reports whether what was learnt holds no longer: something newer has taken its place, or it was taken back.
function isOver(x: Learnt, a: Account | undefined): boolean {
  if (!x.now) return false;
  const record = a?.sources[`record ${x.record}`];
  if (record) return Boolean(record.ended || record.gone);
  const facts = x.of === "fact" && affairs.value.find((f) => f.id === x.affair)?.key_facts;
  return facts ? facts[x.label] !== x.now : false;
}
