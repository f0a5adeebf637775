// The line of a decision: where a turn was put, why, and how sure that was.
import { reasonText } from "../core/reason.ts";
import { to } from "../core/route.ts";
import { t, hasText } from "../core/text.ts";
import { percent } from "../core/time.ts";
import { Chip } from "../core/ui.tsx";
import type { Account } from "./accounts.ts";
import type { Affair } from "./conversation.ts";
import type { Decision, Turn } from "./turns.ts";

interface ChipProps {
  turn: Turn;
  a: Account | null; // messages tell the sentence of a decision, its account tells the rest
  affairs: Affair[];
}

export function DecisionChip({ turn, a, affairs }: ChipProps) {
  const d = turn.decision ?? (turn.working || turn.problem ? undefined : a?.decision);
  const sentence = d?.reasoning ?? turn.why;
  const affair = affairs.find((a) => a.id === turn.affair);
  const moved = d && isMoved(d, turn);
  return (
    <div class="decision">
      {moved ? <Chip kind="good moved">{t("decision.moved")}</Chip> : d && <KindChip of={d} />}
      {affair && <a class="chip" href={to`/affairs/${affair.id}`}>{affair.title}</a>}
      {d && !moved && <Sure of={d} />}
      {sentence && !moved && <span class="small">{reasonText(sentence)}</span>}
    </div>
  );
}

type Decided = Pick<Decision, "confidence"> & { type: string; by?: string };

export function KindChip({ of: d }: { of: Decided }) {
  const kind = `kind.${d.type}`;
  return <Chip kind={`kind-${d.type}`} title={d.by ? t("decision.by", { by: byText(d.by) }) : ""}>{hasText(kind) ? t(kind) : d.type}</Chip>;
}

export const isUnsure = (d: { confidence: number }) => d.confidence < .5;

// Sure says in a word how sure a decision was; the figure is for hovering.
export function Sure({ of: d }: { of: Decided }) {
  const word = d.confidence >= .8 ? t("sure.high") : isUnsure(d) ? t("sure.low") : t("sure.middle");
  return <span class="small" title={percent(d.confidence)}>{word}</span>;
}

export function byText(by: string): string {
  const key = `decided_by.${by}`;
  return hasText(key) ? t(key) : by;
}

// isMoved reports whether a turn stands elsewhere than it was decided: a person has put it there since.
function isMoved(d: Decision | Account["decision"], turn: Turn): boolean {
  const target = ("target_affair_id" in d ? d.target_affair_id : "affair_id" in d ? d.affair_id : "") ?? "";
  return !turn.working && !!turn.affair && turn.affair !== target;
}
