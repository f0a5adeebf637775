// What a line, a hit or a write is of: its text, and the way to where it came from.
import type { Account } from "../chat/accounts.ts";
import type { Schemas } from "../core/api.ts";
import { to } from "../core/route.ts";
import { user } from "../core/session.ts";
import { t } from "../core/text.ts";
import { Chip, Time } from "../core/ui.tsx";
import { Superseded } from "../parts/superseded.tsx";

type Source = Schemas["MemorySource"];

export function SourceOf({ a, of }: { a: Account; of: string | undefined }) {
  const s = of ? a.sources[of] : undefined;
  if (!of) return null;
  if (!s) return <code>{of}</code>;
  const way = wayTo(a, s);
  return (
    <>
      <span class="text">{s.ended ? <del>{s.text}</del> : s.text ? <Superseded text={s.text} affair={s.affair} at={s.at} /> : s.title}</span>
      <span class="from small">
        {way ? <a href={way}>{nameOf(s)}</a> : nameOf(s)} {s.who && s.kind === "message" && `· ${s.who}`} <Time at={s.at} />
        {s.gone && <Chip kind="bad">{t("source.gone")}</Chip>} {s.ended && <Chip kind="warn">{t("source.ended")}</Chip>} {s.replaced_by && <a href={to`/memory/${s.replaced_by}`}>{t("source.instead")}</a>}
      </span>
    </>
  );
}

function nameOf(s: Source): string {
  switch (s.kind) {
    case "message": return t("source.message", { number: s.seq ?? 0 });
    case "record": return t("source.record");
    case "affair": return t("source.affair", { title: s.title ?? "" });
    case "session": return t("source.session");
    default: return s.kind;
  }
}

// wayOf is the way to a source, with its name, null where there is none.
export function wayOf(a: Account, s: Source): { to: string; says: string } | null {
  const way = wayTo(a, s);
  return way ? { to: way, says: nameOf(s) } : null;
}

// wayTo is the address of what a source is. A message is found at its turn, which leads back to this one.
function wayTo(a: Account, s: Source): string {
  switch (s.kind) {
    case "record": return s.id ? to`/memory/${s.id}` : "";
    case "affair": return s.id ? to`/affairs/${s.id}` : "";
    case "session": return s.session ? to`/s/${s.session}` : "";
    case "message": {
      if (!s.turn || (s.turn === a.turn && s.session === a.session)) return "";
      const from = new URLSearchParams({ from: a.turn, ...(s.session === a.session ? {} : { of: a.session }) });
      return `${to`/s/${s.session ?? a.session}/t/${s.turn}`}${user.value ? "&" : "?"}${from}`;
    }
    default: return "";
  }
}
