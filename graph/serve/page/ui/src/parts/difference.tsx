// What differs between two texts, line by line.
import { t } from "../core/text.ts";

export interface Line {
  kind: "same" | "gone" | "new";
  text: string;
}

const most = 400; // lines of a text that are compared; beyond it the whole text counts as another

// difference returns the lines of both texts, those they share once.
export function difference(before: string, after: string): Line[] {
  const a = before ? before.split("\n") : [];
  const b = after ? after.split("\n") : [];
  if (a.length > most || b.length > most) return [...a.map((text): Line => ({ kind: "gone", text })), ...b.map((text): Line => ({ kind: "new", text }))];
  const long = longest(a, b);
  const out: Line[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      out.push({ kind: "same", text: a[i]! });
      i++;
      j++;
    } else if (j >= b.length || (i < a.length && long[i + 1]![j]! >= long[i]![j + 1]!)) out.push({ kind: "gone", text: a[i++]! });
    else out.push({ kind: "new", text: b[j++]! });
  }
  return out;
}

// longest counts the lines that the rests of both texts share in order.
function longest(a: string[], b: string[]): Uint16Array[] {
  const long = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) long[i]![j] = a[i] === b[j] ? long[i + 1]![j + 1]! + 1 : Math.max(long[i + 1]![j]!, long[i]![j + 1]!);
  }
  return long;
}

const marks = { same: " ", gone: "−", new: "+" };

export function Difference(p: { before: string; after: string }) {
  return (
    <pre class="difference" tabIndex={0} aria-label={t("parts.difference")}>
      {difference(p.before, p.after).map((l, i) => <span class={l.kind} key={i}>{marks[l.kind]} {l.text}{"\n"}</span>)}
    </pre>
  );
}
