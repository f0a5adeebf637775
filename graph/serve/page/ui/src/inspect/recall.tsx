// What was looked for in memory: how much was found, how much of it the prompt took, and why each hit stands where it does.
import type { Account } from "../chat/accounts.ts";
import type { Schemas } from "../core/api.ts";
import { t } from "../core/text.ts";
import { number } from "../core/time.ts";
import { Chip, Empty } from "../core/ui.tsx";
import { Part } from "./inspector.tsx";
import { SourceOf } from "./source.tsx";

type Recalled = Schemas["AccountRecalled"];

export function Recalls({ a }: { a: Account }) {
  const recalls = a.recalls ?? [];
  const lines = (a.prompts ?? []).flatMap((p) => p.sections ?? []).flatMap((s) => s.lines ?? []);
  const base = (of: string | undefined) => of?.split("/facts")[0]?.split("/summary")[0] ?? "";
  const kept = new Set(lines.filter((l) => !l.dropped).map((l) => base(l.of)));
  return (
    <Part title={t("recall.title")}>
      {recalls.length === 0 && <Empty>{t("recall.none")}</Empty>}
      {recalls.map((r, i) => <Funnel key={i} a={a} r={r} inPrompt={(of) => kept.has(base(of))} />)}
    </Part>
  );
}

function Funnel({ a, r, inPrompt }: { a: Account; r: Recalled; inPrompt: (of: string) => boolean }) {
  const hits = r.hits ?? [];
  const byTool = r.by === "tool"; // it gives the model all that it found
  const found = hits.length + (r.not_listed ?? 0);
  const taken = hits.filter((h) => inPrompt(h.of)).length;
  if (found === 0) return <Empty>{`${byTool ? "" : `${t("recall.by_prompt")}: `}${t("recall.nothing")}`}</Empty>;
  const most = Math.max(...hits.map((h) => h.score), 0.001);
  return (
    <details open={r.by === "prompt" && hits.length > 0}>
      <summary>{byTool ? t("recall.by_tool", { n: found }) : `${t("recall.by_prompt")}: ${t("recall.funnel", { n: found, taken })}`}</summary>
      <ol class="lines plainlist">
        {hits.map((h) => (
          <li key={h.of}>
            <SourceOf a={a} of={h.of} />
            <span class="why">
              <span class="line"><span style={{ width: `${(h.score / most) * 100}%` }} /></span> <span class="num">{number(h.score, 2)}</span>
              {byTool ? null : inPrompt(h.of) ? <Chip kind="good">{t("recall.shown")}</Chip> : <Chip>{t("recall.not_shown")}</Chip>}
            </span>
            {!!h.figures?.length && (
              <details class="figures"><summary>{t("recall.figures")}</summary>
                <table><tbody>{h.figures.map((f) => <tr key={f.name}><th scope="row">{f.name}</th><td class="num">{number(f.value, 2)}</td></tr>)}</tbody></table>
              </details>
            )}
          </li>
        ))}
      </ol>
    </details>
  );
}
