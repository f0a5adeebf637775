// The chip of a decision: where a turn was put, how sure that was, and "that was wrong".
import { useEffect, useRef, useState } from "preact/hooks";
import { to } from "../core/route.ts";
import { t, hasText } from "../core/text.ts";
import { percent } from "../core/time.ts";
import { Button, Chip } from "../core/ui.tsx";
import { account } from "./accounts.ts";
import type { Affair } from "./conversation.ts";
import type { Turn } from "./turns.ts";

interface ChipProps {
  session: string;
  turn: Turn;
  affairs: Affair[];
  onWrong: () => void;
}

export function DecisionChip({ session, turn, affairs, onWrong }: ChipProps) {
  const box = useRef<HTMLDivElement>(null);
  const [near, setNear] = useState(false);

  // Messages tell the sentence of a decision, its account tells the rest; it is read once the turn is seen.
  useEffect(() => {
    if (turn.decision || turn.working || !box.current) return;
    let soon = 0; // who scrolls past asks nothing
    const seen = new IntersectionObserver((e) => {
      clearTimeout(soon);
      if (e.at(-1)?.isIntersecting) soon = window.setTimeout(() => setNear(true), 200);
    });
    seen.observe(box.current);
    return () => {
      clearTimeout(soon);
      seen.disconnect();
    };
  }, [turn.working, turn.decision]);

  const d = turn.decision ?? (near && !turn.working && !turn.problem ? account(session, turn.id).value?.decision : undefined);
  const sentence = d?.reasoning ?? turn.why;
  const affair = affairs.find((a) => a.id === turn.affair);
  const kind = `kind.${d?.type}`;
  return (
    <div class="decision" ref={box}>
      {d && <Chip kind={`kind-${d.type}`} title={d.by ? t("decision.by", { by: d.by }) : ""}>{hasText(kind) ? t(kind) : d.type} {percent(d.confidence)}</Chip>}
      {affair && <a class="chip" href={to`/affairs/${affair.id}`}>{affair.title}</a>}
      {sentence && <span class="small">{sentence}</span>}
      {d && !turn.working && <Button kind="quiet" onClick={onWrong}>{t("decision.wrong")}</Button>}
    </div>
  );
}
