// The prompt, call by call: what each section took, and each line with its reason, those that were dropped too.
import { useState } from "preact/hooks";
import { account, type Account } from "../chat/accounts.ts";
import type { Schemas } from "../core/api.ts";
import { hasText, t } from "../core/text.ts";
import { number } from "../core/time.ts";
import { Button, Check, Chip, Empty } from "../core/ui.tsx";
import { compare, type Difference } from "./compare.ts";
import { Part } from "./inspector.tsx";
import { SourceOf } from "./source.tsx";

type Prompt = Schemas["AccountPrompt"];
type Section = Schemas["AccountSection"];
type Line = Schemas["AccountLine"];

export function Prompts({ a, before }: { a: Account; before: string | undefined }) {
  const prompts = a.prompts ?? [];
  const [call, setCall] = useState(0);
  const [compared, setCompared] = useState(false);
  const p = prompts[Math.min(call, prompts.length - 1)];
  const other = compared && before ? account(a.session, before).value : null;
  if (!p) return <Part title={t("prompt.title")}><Empty>{t("prompt.none")}</Empty></Part>;
  return (
    <Part title={t("prompt.title")} note={t("prompt.tokens", { n: p.tokens, limit: number(p.limit) })}>
      {prompts.length > 1 && (
        <div class="row" role="group" aria-label={t("prompt.calls")}>
          {prompts.map((x, i) => <Button key={i} pressed={x === p} onClick={() => setCall(i)}>{t("prompt.call", { number: i + 1 })}</Button>)}
        </div>
      )}
      <p class="small">{t("prompt.text")}</p>
      <Bar p={p} />
      {before && <Check label={t("prompt.compare")} value={compared} onChange={setCompared} />}
      <Xray a={a} p={p} other={other} />
      {!!p.not_listed && <p class="small">{t("prompt.not_listed", { n: p.not_listed })}</p>}
    </Part>
  );
}

function sectionText(name: string): string {
  const key = `section.${name.replace(/ /g, "_")}`;
  return hasText(key) ? t(key) : name;
}

// whyText says why a line is there or was dropped; what is no known reason, such as one with figures, stays as it is.
function whyText(why: string): string {
  const key = `line_why.${why.replace(/ /g, "_")}`;
  return hasText(key) ? t(key) : why;
}

// Bar is the sections' shares of what the prompt may hold.
function Bar({ p }: { p: Prompt }) {
  const sections = p.sections ?? [];
  return (
    <div class="bar-chart" role="img" aria-label={sections.map((s) => `${sectionText(s.name)} ${s.tokens}`).join(", ")}>
      {sections.map((s, i) => s.tokens > 0 && <span key={s.name} class={`tone-${i % 8}`} title={`${sectionText(s.name)}: ${s.tokens}`} style={{ flexGrow: s.tokens }} />)}
    </div>
  );
}

function Xray({ a, p, other }: { a: Account; p: Prompt; other: Account | null }) {
  const difference = other ? compare(p, other.prompts?.at(-1)) : null;
  return (
    <>
      {(p.sections ?? []).map((s, i) => <SectionOf key={s.name} a={a} s={s} tone={i % 8} difference={difference} />)}
      {difference && other && difference.gone.length > 0 && (
        <details open>
          <summary>{t("prompt.gone", { n: difference.gone.length })}</summary>
          <ul class="lines plainlist">{difference.gone.map((line) => <LineOf key={line.of} a={other} line={line} mark="gone" />)}</ul>
        </details>
      )}
    </>
  );
}

function SectionOf({ a, s, tone, difference }: { a: Account; s: Section; tone: number; difference: Difference | null }) {
  const lines = s.lines ?? [];
  const dropped = lines.filter((l) => l.dropped).length;
  const fresh = difference ? lines.filter((l) => difference.isNew(l)).length : 0;
  const share = s.budget ? ` / ${number(s.budget)}` : "";
  const head = (
    <>
      <span class={`swatch tone-${tone}`} /> <strong>{sectionText(s.name)}</strong> {s.tokens > 0 && <span class="num">{number(s.tokens)}{share}</span>}
      {dropped > 0 && <Chip kind="warn">{t("prompt.dropped", { n: dropped })}</Chip>}
      {fresh > 0 && <Chip kind="good">{t("prompt.new", { n: fresh })}</Chip>}
    </>
  );
  if (lines.length === 0) return <p class="section-head">{head}</p>;
  return (
    <details open={dropped > 0 || fresh > 0 || s.name === "Evidence"}>
      <summary class="section-head">{head}</summary>
      <ul class="lines plainlist">
        {lines.map((line, i) => <LineOf key={i} a={a} line={line} mark={difference?.isNew(line) ? "new" : ""} />)}
      </ul>
    </details>
  );
}

function LineOf({ a, line, mark }: { a: Account; line: Line; mark: "" | "new" | "gone" }) {
  const count = line.count && line.count > 1 ? ` × ${line.count}` : "";
  return (
    <li class={`${line.dropped ? "left-out" : ""} ${mark}`}>
      <SourceOf a={a} of={line.of} />
      <span class="why small">
        {mark === "new" && <Chip kind="good">{t("prompt.is_new")}</Chip>}
        {line.dropped && <Chip kind="warn">{t("prompt.is_dropped")}</Chip>} {whyText(line.why)}{count}{line.reason && `: ${whyText(line.reason)}`}
        {line.changed && <Chip kind="warn">{t("prompt.changed")}</Chip>} {line.tokens > 0 && <span class="num">{t("prompt.line_tokens", { n: line.tokens })}</span>}
      </span>
    </li>
  );
}
