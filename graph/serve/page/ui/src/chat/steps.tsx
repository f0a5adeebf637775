// The calls of tools within a turn, folded.
import { hasText, t } from "../core/text.ts";
import { Chip, Time } from "../core/ui.tsx";
import { ReadableText } from "../parts/readable.tsx";
import type { Step } from "./turns.ts";

export function Steps({ steps, working }: { steps: Step[]; working: boolean }) {
  if (steps.length === 0) return null;
  return (
    <details class="calls">
      <summary>{t("chat.steps", { n: steps.length })}{working && "…"}</summary>
      <ol>
        {steps.map((s) => (
          <li key={s.id}>
            <strong>{toolText(s.tool)}</strong> <code class="small">{s.tool}</code> {s.answered && <Answered of={s.answered} />}
            <p class="small">{t("chat.step_with")}</p>
            <ReadableText text={s.arguments} />
            {s.result !== undefined && <><p class="small">{t("chat.step_result")}</p><ReadableText text={s.result} /></>}
          </li>
        ))}
      </ol>
    </details>
  );
}

function toolText(tool: string): string {
  const key = `tool.${tool}`;
  return hasText(key) ? t(key) : "";
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
