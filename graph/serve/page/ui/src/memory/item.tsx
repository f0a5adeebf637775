// One record in a list, and what is done with it.
import { useState } from "preact/hooks";
import { api, type Schemas } from "../core/api.ts";
import { changed } from "../core/load.ts";
import { go, to } from "../core/route.ts";
import { hasText, t } from "../core/text.ts";
import { toast } from "../core/toast.ts";
import { Check, Chip, Menu, Time } from "../core/ui.tsx";
import { changeMade, undo } from "../parts/changes.tsx";
import { Forget } from "../parts/forget.tsx";
import { doing } from "../parts/loaded.tsx";

export type Record = Schemas["StateRecord"];

interface ItemProps {
  r: Record;
  chosen: boolean;
  onChoose: (on: boolean) => void;
  onChanged: () => void;
}

export function Item({ r, chosen, onChoose, onChanged }: ItemProps) {
  const [forget, setForget] = useState(false);
  return (
    <li class={ended(r) ? "record ended" : "record"}>
      <span class="choose"><Check label={t("memory.choose", { text: r.subject || textOf(r).slice(0, 40) })} value={chosen} onChange={onChoose} /></span>
      <div class="said">
        <a href={to`/memory/${r.id}`}>{textOf(r)}</a>
        <div class="row small"><KindAndState r={r} /> {r.subject && <span>{r.subject}</span>} <Time at={r.recorded_at} /></div>
      </div>
      <Menu label={t("record.actions")} items={[
        { text: t("record.open"), do: () => go(to`/memory/${r.id}`) },
        ended(r) ? null : { text: t(r.pinned ? "record.unpin" : "record.pin"), do: () => void setPinned(r, !r.pinned, onChanged) },
        ended(r) ? null : { text: t("record.end"), do: () => void endRecord(r, onChanged) },
        { text: t("record.forget"), do: () => setForget(true), danger: true },
      ]} />
      {forget && <Forget title={t("forget.records", { n: 1 })} targets={[{ record: r.id }]} onClose={() => { setForget(false); onChanged(); }} onDone={() => {}} />}
    </li>
  );
}

// textOf returns what a record says. A summary that no model has written yet has only its digest.
export function textOf(r: Record): string {
  return r.content || r.span?.digest || r.subject || r.id;
}

// ended reports whether a record holds no longer.
export function ended(r: Record): boolean {
  return Boolean(r.replaced_by || r.archived_at || (r.valid_to && new Date(r.valid_to) <= new Date()));
}

export function KindAndState({ r }: { r: Record }) {
  return (
    <>
      <Chip>{kindText(r.kind)}</Chip>
      {r.pinned && <Chip kind="good">{t("record.is_pinned")}</Chip>}
      {r.replaced_by ? <Chip kind="warn">{t("record.is_replaced")}</Chip> : ended(r) && <Chip kind="warn">{t("record.is_ended")}</Chip>}
      {r.trust !== "user" && <Chip title={t("record.trust")}>{r.trust}</Chip>}
    </>
  );
}

export function kindText(kind: string): string {
  const key = `record_kind.${kind}`;
  return hasText(key) ? t(key) : kind;
}

export const kinds = ["fact", "decision", "order", "deadline", "contact", "preference", "procedure", "event", "insight", "summary", "lesson"] as const;

export async function setPinned(r: { id: string }, pinned: boolean, reload: () => void) {
  const set = (value: boolean) => doing(() => api.patch("/api/v1/records/{record}", { path: { record: r.id }, body: { pinned: value } }));
  if (!(await set(pinned))) return;
  toast(t(pinned ? "record.pinned" : "record.unpinned"), () => void set(!pinned).then(reload));
  reload();
}

// endRecord has a record hold no longer. It is kept as history.
export async function endRecord(r: { id: string }, reload: () => void) {
  if (!(await doing(() => api.patch("/api/v1/records/{record}", { path: { record: r.id }, body: { ended: true } })))) return;
  const made = await changeMade({ id: r.id });
  toast(t("record.ended"), made ? () => void undo(made).then(reload) : undefined);
  changed();
  reload();
}
