// A session turn by turn: the state at each step, what changed, and going on from anywhere.
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { to, type Params } from "../core/route.ts";
import { nameOf, sessions, user } from "../core/session.ts";
import { t } from "../core/text.ts";
import { Button, Chip, Empty, Field, Time } from "../core/ui.tsx";
import { inAddress, setInAddress } from "../parts/address.ts";
import { Failed, Loading } from "../parts/loaded.tsx";
import { Rows } from "../parts/rows.tsx";
import { useTitle } from "../parts/title.ts";
import { Promote } from "./promote.tsx";
import { Selected } from "./selected.tsx";
import { Turns, unfinished, type Turn } from "./turns.ts";

const rowHeight = 60; // as timeline.css has it
const shapes = ["●", "■", "▲", "◆", "★", "⬟"];

export default function Timeline({ params }: { params: Params }) {
  const session = params.session ?? "";
  const again = useSignal(0);
  const of = useMemo(() => new Turns(session), [session, user.value, again.value]);
  useEffect(() => () => of.close(), [of]);
  const promoting = useSignal(false);
  const known = sessions.value.find((s) => s.id === session);
  const title = known ? nameOf(known) : session;
  useTitle(`${t("menu.timeline")}, ${title}`);
  return (
    <main class="wide timeline">
      <p><a href={to`/s/${session}`}>← {title}</a></p>
      <div class="row between">
        <h1>{t("menu.timeline")}</h1>
        <Button onClick={() => { promoting.value = true; }}>{t("timeline.promote")}</Button>
      </div>
      {of.error.value != null && <Failed error={of.error.value} retry={() => { again.value++; }} back={{ at: to`/s/${session}`, text: t("timeline.back") }} />}
      <Body of={of} session={session} reload={() => { again.value++; }} />
      {promoting.value && <Promote session={session} onClose={() => { promoting.value = false; }} />}
    </main>
  );
}

function Body({ of, session, reload }: { of: Turns; session: string; reload: () => void }) {
  const words = useSignal("");
  const all = of.turns.value;
  const shown = useMemo(() => {
    const want = words.value.trim().toLowerCase();
    return want ? all.filter((x) => `${x.text} ${of.affairs.value.get(x.affair) ?? ""}`.toLowerCase().includes(want)) : all;
  }, [all, words.value, of.affairs.value]);
  const lanes = useMemo(() => [...new Set([...all].reverse().map((x) => x.affair).filter(Boolean))], [all]);
  if (all.length === 0) return of.busy.value ? <Loading /> : of.error.value ? null : <Empty>{t("timeline.none")} <a href={to`/s/${session}`}>{t("timeline.back")}</a></Empty>;
  const at = inAddress("turn") || all[0]!.id;
  const selected = all.findIndex((x) => x.id === at);
  return (
    <div class="two">
      <section aria-label={t("timeline.turns")}>
        <Field label={t("timeline.find")} value={words.value} onInput={(v) => { words.value = v; }} />
        <p class="small" role="status">{t("timeline.count", { n: shown.length })}{of.busy.value && ` ${t("parts.loading")}`}</p>
        <Rows label={t("timeline.turns")} items={shown} idOf={(x) => x.id} height={rowHeight} selected={at} onSelect={(x) => setInAddress({ turn: x.id, step: "", from: "" })}
          row={(x, i) => <Row x={x} lane={lanes.indexOf(x.affair)} affair={of.affairs.value.get(x.affair) ?? ""} other={!words.value && shown[i + 1] !== undefined && shown[i + 1]!.affair !== x.affair} />} />
      </section>
      {selected >= 0 ? <Selected key={at} of={all[selected]!} before={all[selected + 1]} session={session} reload={reload} /> : of.busy.value ? <Loading /> : <Empty>{t("timeline.no_turn")}</Empty>}
    </div>
  );
}

interface RowProps {
  x: Turn;
  lane: number;
  affair: string;
  other: boolean; // its affair is another than that of the turn before
}

function Row({ x, lane, affair, other }: RowProps) {
  return (
    <>
      <div class="first"><span class={`lane lane${lane % shapes.length}`} aria-hidden="true">{lane < 0 ? "○" : shapes[lane % shapes.length]}</span> <span class="text">{x.text || x.id}</span></div>
      <div class="second">
        <Time at={x.at} /> {other && <span class="switched" title={t("timeline.switched")}>⇄<span class="hidden">{t("timeline.switched")}</span></span>}
        <span class="affair-name">{affair}</span>
        {unfinished(x) && <Chip kind="warn">{t("timeline.unfinished")}</Chip>}
      </div>
    </>
  );
}
