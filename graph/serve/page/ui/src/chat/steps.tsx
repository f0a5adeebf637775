// The calls of tools within a turn, folded.
import { t } from "../core/text.ts";
import { Chip, Time } from "../core/ui.tsx";
import type { Step } from "./turns.ts";

export function Steps({ steps, working }: { steps: Step[]; working: boolean }) {
  if (steps.length === 0) return null;
  return (
    <details class="calls">
      <summary>{t("chat.steps", { n: steps.length })}{working && "…"}</summary>
      <ol>
        {steps.map((s) => (
          <li key={s.id}>
            <code>{s.tool}</code> {s.answered && <Answered of={s.answered} />}
            <pre tabIndex={0}>{pretty(s.arguments)}</pre>
            {s.result !== undefined && <pre tabIndex={0}>{s.result}</pre>}
          </li>
        ))}
      </ol>
    </details>
  );
}

function Answered({ of }: { of: NonNullable<Step["answered"]> }) {
  const said = { approve: t("ask.approved"), edit: t("ask.edited"), reject: t("ask.rejected"), suggest: t("ask.later_said") }[of.choice] ?? of.choice;
  return <span><Chip>{said}{of.by ? ` · ${of.by}` : ""}</Chip> <Time at={of.at} /> {of.reason && <q>{of.reason}</q>}</span>;
}

export function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
