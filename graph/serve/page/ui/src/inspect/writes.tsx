// What a turn wrote, with its receipts, and how that is taken back: one change, or all of the turn.
import { useEffect, useState } from "preact/hooks";
import { affairOf, type Account } from "../chat/accounts.ts";
import { changesOf, learntFrom, movedBy, type Change } from "../chat/learning.ts";
import { Learning } from "../chat/learnt.tsx";
import { UndoSays } from "../chat/undosays.tsx";
import { api } from "../core/api.ts";
import { changed } from "../core/load.ts";
import { to } from "../core/route.ts";
import { titles } from "../core/session.ts";
import { hasText, t } from "../core/text.ts";
import { fail, toast } from "../core/toast.ts";
import { Button, Chip, Confirm, Empty, ID, Time } from "../core/ui.tsx";
import { kindText } from "../memory/item.tsx";
import { commits } from "../parts/changes.tsx";
import { Part } from "./inspector.tsx";
import { SourceOf } from "./source.tsx";

export function Writes({ a, onChange }: { a: Account; onChange: () => void }) {
  const [changes, setChanges] = useState<Change[]>([]);
  const [asking, setAsking] = useState(false);
  useEffect(() => {
    let here = true;
    changesOf(a.session, a.turn, a.began).then((found) => here && setChanges(found), fail);
    return () => { here = false; };
  }, [a]);

  const undo = async (what: Promise<unknown>) => {
    try {
      await what;
      toast(t("ui.undone"));
      changed();
      onChange();
    } catch (err) {
      fail(err);
    }
  };
  const undoAll = () => void undo(api.post("/api/v1/sessions/{session}/turns/{turn}/undo", { path: { session: a.session, turn: a.turn } }));
  const items = learntFrom(changes, a);
  const named = new Set(items.flatMap((x) => [`record ${x.record}`, `record ${x.replaced}`, `affair ${x.affair}`]));
  const writes = (a.writes ?? []).filter((w) => !named.has(w.of)); // what has no words of its own, such as an affair that was set aside
  return (
    <Part title={t("writes.title")} name="writes">
      {!a.writes?.length && changes.length === 0 && <Empty>{t("writes.none")}</Empty>}
      <Learning items={items} a={a} affair={affairOf(a)} />
      <ul class="lines plainlist">
        {writes.map((w, i) => <li key={i}><SourceOf a={a} of={w.of} /><span class="why small">{whatText(w.what)}</span></li>)}
      </ul>
      <Receipts a={a} />
      {changes.length > 0 && (
        <details>
          <summary>{t("writes.changes", { n: new Set(changes.map((c) => c.change)).size })}</summary>
          <ul class="lines plainlist">{commits(changes).map((c) => <Commit key={c[0]!.change} a={a} of={c} onUndo={(n) => void undo(api.post("/api/v1/audit/{change}/undo", { path: { change: n } }))} />)}</ul>
        </details>
      )}
      <p><a href={to`/memory`}>{t("writes.all")}</a></p>
      {!!a.writes?.length && <Button kind="danger" onClick={() => setAsking(true)}>{t("writes.undo_all")}</Button>}
      {asking && <Confirm title={t("writes.undo_all")} text={<UndoSays session={a.session} turn={a.turn} />} action={t("ui.undo")} onClose={() => setAsking(false)} onConfirm={undoAll} />}
    </Part>
  );
}

// whatText says what an edit changes: "stored fact", "PARKED, 2 key facts"; what is not known here stays as it is.
function whatText(what: string): string {
  return what.split(", ").map((part) => {
    const [, verb = "", kind = ""] = /^(stored|ended) (.+)$/.exec(part) ?? [];
    const [, n = "", words = part] = /^(\d+) (.+)$/.exec(part) ?? [];
    const key = `write.${verb || words.replace(/ /g, "_")}`;
    return hasText(key) ? [t(key), kind && kindText(kind), n && `(${n})`].filter(Boolean).join(" ") : part;
  }).join(", ");
}

// Commit is told by what was learnt with it and by the affairs that it moved, and where that is nothing by the documents that it changed.
function Commit({ a, of, onUndo }: { a: Account; of: Change[]; onUndo: (n: number) => void }) {
  const first = of[0]!;
  const items = learntFrom(of, a);
  const moved = movedBy(of);
  return (
    <li>
      {items.length > 0 && <Learning items={items} a={a} affair={affairOf(a)} />}
      {moved.map((m) => <p class="text" key={m.id}>{titles.value.get(m.id) ?? m.title}: {whatText(m.opened ? "opened" : m.after)}</p>)}
      {items.length + moved.length === 0 && of.map((c) => {
        const what = `what.${c.what}`;
        return <p class="text" key={`${c.kind} ${c.id}`}>{hasText(what) ? t(what) : c.what}: {c.kind} <ID id={c.id} /> <span class="small">{(c.fields ?? []).map((f) => f.field).slice(0, 6).join(", ")}</span></p>;
      })}
      <span class="why"><span class="small">{first.by.path}</span> <Time at={first.at} /> <Button onClick={() => onUndo(first.change)}>{t("ui.undo")}</Button></span>
    </li>
  );
}

function Receipts({ a }: { a: Account }) {
  if (!a.receipts?.length) return null;
  return (
    <details>
      <summary>{t("writes.receipts")}</summary>
      <ul class="lines plainlist">
        {a.receipts.map((r) => (
          <li key={r.id}>
            <span>{r.kind} <ID id={r.id} /> {r.outcome}</span>
            <span class="why">
              <Chip kind={r.durable ? "good" : "warn"}>{t(r.durable ? "receipt.durable" : "receipt.not_durable")}</Chip>
              <Chip kind={r.visible ? "good" : "warn"}>{t(r.visible ? "receipt.visible" : "receipt.not_visible")}</Chip>
              <Chip kind={r.indexed ? "good" : "warn"}>{t(r.indexed ? "receipt.indexed" : "receipt.not_indexed")}</Chip>
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}
