// How a prompt differs from that of the turn before.
import type { Schemas } from "../core/api.ts";

type Prompt = Schemas["AccountPrompt"];
type Line = Schemas["AccountLine"];

export interface Difference {
  isNew: (line: Line) => boolean;
  gone: Line[]; // shown then, and not now
}

export function compare(now: Prompt, then: Prompt | undefined): Difference {
  const lines = (p: Prompt | undefined) => (p?.sections ?? []).flatMap((s) => s.lines ?? []).filter((l) => l.of && !l.dropped);
  const here = new Set(lines(now).map((l) => l.of));
  const there = new Set(lines(then).map((l) => l.of));
  const gone = new Map(lines(then).filter((l) => !here.has(l.of)).map((l) => [l.of, l]));
  return { isNew: (line) => !!line.of && !line.dropped && !there.has(line.of), gone: [...gone.values()] };
}
