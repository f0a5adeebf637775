// A turn that was selected: its steps, the state after one of them, and what can be done from there.
import { useState } from "preact/hooks";
import { api, type Schemas } from "../core/api.ts";
import { changed } from "../core/load.ts";
import { reasonText } from "../core/reason.ts";
import { go, to } from "../core/route.ts";
import { hasText, t } from "../core/text.ts";
import { toast } from "../core/toast.ts";
import { Button, Card, Chip, Dialog, Empty, Field, Select, Time } from "../core/ui.tsx";
import { inAddress, setInAddress } from "../parts/address.ts";
import { valueText } from "../parts/changes.tsx";
import { Difference } from "../parts/difference.tsx";
import { Readable } from "../parts/readable.tsx";
import { doing, Failed, Loading, useLoaded } from "../parts/loaded.tsx";
import { newSession } from "../shell/shell.tsx";
import { unfinished, type Turn } from "./turns.ts";

interface SelectedProps {
  of: Turn;
  before: Turn | undefined;
  session: string;
  reload: () => void;
}

export function Selected(p: SelectedProps) {
  const { of, session } = p;
  const step = Number(inAddress("step")) || of.steps[0]?.step || 0;
  const known = of.steps.map((s) => s.step);
  const from = Number(inAddress("from")) || known[known.indexOf(step) + 1] || 0;
  return (
    <section class="selected" aria-label={t("timeline.turn")}>
      <h2 class="question">{of.text || of.id}</h2>
      {of.why && <p class="small">{reasonText(of.why)}</p>}
      <Actions {...p} />
      {of.steps.length === 0 ? <Empty>{t("timeline.no_steps")}</Empty> : (
        <>
          <div class="scroll" tabIndex={0} role="group" aria-label={t("timeline.steps")}>
            <ol class="steps">
              {[...of.steps].reverse().map((s) => (
                <li key={s.step}><Button pressed={s.step === step} onClick={() => setInAddress({ turn: of.id, step: String(s.step), from: "" })}>{s.step}</Button></li>
              ))}
            </ol>
          </div>
          <div class="compare">
            <Select label={t("timeline.compare")} value={String(from)} options={[["0", t("timeline.nothing")] as const, ...(known.includes(from) || !from ? known : [from, ...known]).map((n) => [String(n), t("timeline.step", { n })] as const)]}
              onChange={(v) => setInAddress({ turn: of.id, step: String(step), from: v })} />
            <OtherStep onChange={(v) => setInAddress({ turn: of.id, step: String(step), from: v })} />
          </div>
          <StateAt session={session} step={step} from={from} />
        </>
      )}
    </section>
  );
}

// OtherStep compares with a step of another turn, by its number.
function OtherStep(p: { onChange: (value: string) => void }) {
  const [value, setValue] = useState("");
  const submit = (e: Event) => {
    e.preventDefault();
    if (Number(value) > 0) p.onChange(String(Number(value)));
  };
  return (
    <form class="filters" onSubmit={submit}>
      <Field label={t("timeline.other_step")} value={value} onInput={setValue} />
      <Button type="submit" disabled={!(Number(value) > 0)}>{t("timeline.compare_do")}</Button>
    </form>
  );
}

type State = Schemas["StateAt"];

function StateAt({ session, step, from }: { session: string; step: number; from: number }) {
  const found = useLoaded((signal) => api.get("/api/v1/sessions/{session}/state", { path: { session }, query: { step }, signal }), [session, step]);
  const diff = useLoaded(async (signal) => (from ? ((await api.get("/api/v1/sessions/{session}/diff", { path: { session }, query: { from, to: step }, signal })).items ?? []) : null), [session, step, from]);
  if (found.error) return <Failed error={found.error} retry={found.reload} />;
  const s = found.value;
  if (!s) return <Loading />;
  return (
    <>
      <Card title={t("timeline.state", { n: s.step })}>
        <div class="row"><Time at={s.at} /> <Chip>{s.source}</Chip> {s.next?.length ? <Chip kind="warn">{t("timeline.next", { nodes: s.next.join(", ") })}</Chip> : <Chip kind="good">{t("timeline.over")}</Chip>}</div>
        {s.waits?.map((q) => <p class="note" key={q.id}>{t("timeline.waits")} {q.text}</p>)}
        <Fields of={s} changed={new Set((diff.value ?? []).map((d) => d.field))} />
      </Card>
      {diff.error ? <Failed error={diff.error} retry={diff.reload} /> : diff.value && (
        <Card title={t("timeline.changed", { from, to: step })}>
          {diff.value.length === 0 && <Empty>{t("timeline.same")}</Empty>}
          {diff.value.map((d) => <details key={d.field} open={d.field !== "account" && diff.value!.length < 4}><summary><FieldName of={d.field} /></summary><Difference before={pretty(d.before)} after={pretty(d.after)} /></details>)}
        </Card>
      )}
    </>
  );
}

function FieldName({ of: name }: { of: string }) {
  const key = `field.${name}`;
  return <>{hasText(key) && t(key)} <code class="small">{name}</code></>;
}

function Fields({ of, changed: other }: { of: State; changed: ReadonlySet<string> }) {
  return (
    <div class="fields-at">
      {Object.entries(of.state).map(([name, value]) => (
        <details key={name}>
          <summary><FieldName of={name} /> {other.has(name) && <Chip kind="warn">{t("timeline.is_changed")}</Chip>} <span class="small short">{brief(value)}</span></summary>
          <Readable value={value} />
        </details>
      ))}
    </div>
  );
}

// brief is a value in one line: a list or a group is told by its size.
function brief(value: unknown): string {
  if (typeof value !== "object" || value === null || "$date" in value) return valueText(value).slice(0, 80);
  return `(${Object.keys(value).length})`;
}

// pretty lays a value out in lines; texts in a list stay as they are.
function pretty(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value) && value.every((v) => typeof v === "string")) return value.join("").trimEnd();
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

function Actions({ of, before, session, reload }: SelectedProps) {
  const [fork, setFork] = useState<"" | "fork" | "replay">("");
  const resume = async () => {
    if (!(await doing(() => api.post("/api/v1/sessions/{session}/resume", { path: { session } })))) return;
    toast(t("timeline.resumed"));
    changed();
    reload();
  };
  return (
    <div class="row actions">
      <a class="button" href={to`/s/${session}/t/${of.id}`}>{t("timeline.open")}</a>
      <Button onClick={() => setFork("fork")}>{t("timeline.fork")}</Button>
      {of.text && <Button onClick={() => setFork("replay")}>{t("timeline.replay")}</Button>}
      {unfinished(of) && <Button kind="main" onClick={() => void resume()}>{t("timeline.resume")}</Button>}
      {fork && <Fork of={of} before={before} session={session} replay={fork === "replay"} onClose={() => setFork("")} />}
    </div>
  );
}

interface ForkProps {
  of: Turn;
  before: Turn | undefined;
  session: string;
  replay: boolean;
  onClose: () => void;
}

// Fork makes a session that stands behind the turn; with replay behind the one before it, and says the message there, as it was or edited.
function Fork(p: ForkProps) {
  const [name, setName] = useState(newSession);
  const [message, setMessage] = useState(p.of.text);
  const [busy, setBusy] = useState(false);
  const submit = async (e: Event) => {
    e.preventDefault();
    setBusy(true);
    const stands = p.replay ? p.before : p.of;
    const done = await doing(async () => {
      if (stands) await api.post("/api/v1/sessions/{session}/fork", { path: { session: p.session }, body: { to: name.trim(), turn_id: stands.id } });
      if (p.replay) await api.post("/api/v1/turns", { body: { session_id: name.trim(), message, message_id: crypto.randomUUID() } });
    });
    setBusy(false);
    if (!done) return;
    toast(t("timeline.forked", { id: name.trim() }));
    changed();
    go(to`/s/${name.trim()}`);
  };
  return (
    <Dialog title={t(p.replay ? "timeline.replay" : "timeline.fork")} onClose={p.onClose}>
      <form onSubmit={submit}>
        <p>{t(p.replay ? "timeline.replay_says" : "timeline.fork_says")}</p>
        <Field label={t("timeline.fork_name")} value={name} onInput={setName} focus />
        {p.replay && <Field label={t("timeline.message")} value={message} onInput={setMessage} rows={4} />}
        <footer>
          <Button onClick={p.onClose}>{t("ui.cancel")}</Button>
          <Button kind="main" type="submit" disabled={busy || !name.trim() || (p.replay && !message.trim())}>{t(p.replay ? "timeline.replay" : "timeline.fork")}</Button>
        </footer>
      </form>
    </Dialog>
  );
}
