// One record: what it says, where it comes from, what it replaced and what replaced it, and who changed it.
import { useState } from "preact/hooks";
import { api } from "../core/api.ts";
import { changed } from "../core/load.ts";
import { go, to, type Params } from "../core/route.ts";
import { user } from "../core/session.ts";
import { t } from "../core/text.ts";
import { toast } from "../core/toast.ts";
import { number } from "../core/time.ts";
import { Button, Card, Dialog, Empty, Field, ID, Time } from "../core/ui.tsx";
import { changeMade, Commits, restore, undo } from "../parts/changes.tsx";
import { Difference } from "../parts/difference.tsx";
import { Forget } from "../parts/forget.tsx";
import { doing, Failed, Loading, useLoaded } from "../parts/loaded.tsx";
import { useTitle } from "../parts/title.ts";
import { ended, endRecord, KindAndState, setPinned, textOf, type Record } from "./item.tsx";

export default function RecordPage({ params }: { params: Params }) {
  const id = params.record ?? "";
  const found = useLoaded((signal) => api.get("/api/v1/records/{record}", { path: { record: id }, signal }), [id, user.value]);
  const r = found.value;
  useTitle(r?.subject || t("record.title"));
  return (
    <main class="narrow record-page">
      <p><a href={to`/memory`}>← {t("menu.memory")}</a></p>
      <h1>{r?.subject || t("record.title")}</h1>
      {found.error ? <Failed error={found.error} retry={found.reload} back={{ at: to`/memory`, text: t("memory.show_all") }} /> : !r ? <Loading /> : <Shown r={r} reload={found.reload} />}
    </main>
  );
}

function Shown({ r, reload }: { r: Record; reload: () => void }) {
  const [open, setOpen] = useState<"" | "edit" | "forget">("");
  const [gone, setGone] = useState(false);
  return (
    <>
      <Card>
        <p class="content">{textOf(r)}</p>
        <div class="row"><KindAndState r={r} /> <ID id={r.id} /></div>
        <div class="row actions">
          {!ended(r) && <Button kind="main" onClick={() => setOpen("edit")}>{t("record.edit")}</Button>}
          {!ended(r) && <Button onClick={() => void setPinned(r, !r.pinned, reload)}>{t(r.pinned ? "record.unpin" : "record.pin")}</Button>}
          {!ended(r) && <Button onClick={() => void endRecord(r, reload)}>{t("record.end")}</Button>}
          {ended(r) && <Button onClick={() => void restore(r.id).then((done) => done && reload())}>{t("record.restore")}</Button>}
          <Button kind="danger" onClick={() => setOpen("forget")}>{t("record.forget")}</Button>
        </div>
      </Card>
      <Source r={r} />
      <History r={r} />
      <Audit id={r.id} reload={reload} />
      {open === "edit" && <Edit r={r} onClose={() => setOpen("")} reload={reload} />}
      {open === "forget" && <Forget title={t("forget.records", { n: 1 })} targets={[{ record: r.id }]} onDone={() => setGone(true)} onClose={() => { setOpen(""); if (gone) go(to`/memory`); }} />}
    </>
  );
}

function Source({ r }: { r: Record }) {
  const s = r.source;
  const affair = useLoaded(async (signal) => (r.affair ? await api.get("/api/v1/affairs/{affair}", { path: { affair: r.affair }, signal }) : null), [r.affair]);
  return (
    <Card title={t("record.source")}>
      <dl class="facts-of">
        {s.turn && r.session && <><dt>{t("record.said_in")}</dt><dd><a href={to`/s/${r.session}/t/${s.turn}`}>{t("record.turn_of", { session: r.session })}</a></dd></>}
        {!s.turn && r.session && <><dt>{t("memory.session")}</dt><dd><a href={to`/s/${r.session}`}>{r.session}</a></dd></>}
        {s.author && <><dt>{t("record.author")}</dt><dd>{s.author}</dd></>}
        {s.tool && <><dt>{t("record.tool")}</dt><dd><code>{s.tool}</code></dd></>}
        {r.affair && <><dt>{t("memory.affair")}</dt><dd><a href={to`/affairs/${r.affair}`}>{affair.value?.title ?? r.affair}</a></dd></>}
        {r.agent && <><dt>{t("memory.agent")}</dt><dd>{r.agent}</dd></>}
        <dt>{t("record.trust")}</dt><dd>{r.trust}</dd>
        <dt>{t("record.importance")}</dt><dd>{number(r.importance)}</dd>
        <When text={t("record.recorded")} at={r.recorded_at} />
        <When text={t("record.valid_from")} at={r.valid_from} />
        <When text={t("record.valid_to")} at={r.valid_to} />
        <When text={t("record.due")} at={r.due} />
        <When text={t("record.seen")} at={r.seen_at} />
        {r.times ? <><dt>{t("record.times")}</dt><dd>{number(r.times)}</dd></> : null}
      </dl>
    </Card>
  );
}

function When(p: { text: string; at: string | undefined }) {
  return p.at && !p.at.startsWith("0001") ? <><dt>{p.text}</dt><dd><Time at={p.at} /></dd></> : null;
}

const far = 20; // versions that are followed in each direction

// versions follows what a record replaces and what replaced it, the oldest first.
async function versions(r: Record, signal: AbortSignal): Promise<Record[]> {
  const follow = async (next: (r: Record) => string | undefined) => {
    const out: Record[] = [];
    for (let at = next(r); at && out.length < far; at = next(out[out.length - 1]!)) {
      const found = await api.get("/api/v1/records/{record}", { path: { record: at }, signal }).catch(() => null); // it may have been erased
      if (!found) break;
      out.push(found);
    }
    return out;
  };
  const [before, after] = await Promise.all([follow((x) => x.replaces), follow((x) => x.replaced_by)]);
  return [...before.reverse(), r, ...after];
}

function History({ r }: { r: Record }) {
  const all = useLoaded((signal) => versions(r, signal), [r.id, r.replaced_by]);
  return (
    <Card title={t("record.history")}>
      {!all.value ? <Loading /> : all.value.length === 1 ? <Empty>{t("record.no_history")}</Empty> : (
        <ol class="versions">
          {all.value.map((v, i) => (
            <li key={v.id} aria-current={v.id === r.id ? "true" : undefined}>
              {v.id === r.id ? <strong>{textOf(v)}</strong> : <a href={to`/memory/${v.id}`}>{textOf(v)}</a>} <Time at={v.recorded_at} />
              {i > 0 && <details><summary>{t("record.difference")}</summary><Difference before={all.value![i - 1]!.content} after={v.content} /></details>}
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}

function Audit({ id, reload }: { id: string; reload: () => void }) {
  const found = useLoaded(async (signal) => (await api.get("/api/v1/audit", { query: { id, limit: 100 }, signal })).items ?? [], [id]);
  const undone = () => {
    found.reload();
    reload();
  };
  return (
    <Card title={t("record.audit")}>
      {found.error ? <Failed error={found.error} retry={found.reload} /> : !found.value ? <Loading /> : found.value.length === 0 ? <Empty>{t("record.no_audit")}</Empty> : <Commits items={found.value} onUndone={undone} />}
    </Card>
  );
}

function Edit({ r, onClose, reload }: { r: Record; onClose: () => void; reload: () => void }) {
  const [seen] = useState(r); // as it was when the form was opened: who edits what another tab has changed since is told
  const [content, setContent] = useState(r.content);
  const [subject, setSubject] = useState(r.subject);
  const submit = async (e: Event) => {
    e.preventDefault();
    let after = r.id;
    const body = { ...(content !== r.content ? { content } : {}), ...(subject !== r.subject ? { subject } : {}) };
    if (!(await doing(async () => { after = (await api.patch("/api/v1/records/{record}", { path: { record: r.id }, body, seen })).id; }))) return void reload();
    const made = await changeMade({ id: after });
    const back = () => void undo(made).then((done) => { if (done) { go(to`/memory/${r.id}`); reload(); } });
    toast(t("record.edited"), made ? back : undefined);
    changed();
    onClose();
    if (after === r.id) reload();
    else go(to`/memory/${after}`);
  };
  return (
    <Dialog title={t("record.edit")} onClose={onClose}>
      <form onSubmit={submit}>
        <Field label={t("record.content")} value={content} onInput={setContent} rows={5} focus />
        <Field label={t("record.subject")} value={subject} onInput={setSubject} />
        <p class="small">{t("record.edit_says")}</p>
        <footer>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind="main" type="submit" disabled={!content.trim() || (content === r.content && subject === r.subject)}>{t("record.save")}</Button>
        </footer>
      </form>
    </Dialog>
  );
}
