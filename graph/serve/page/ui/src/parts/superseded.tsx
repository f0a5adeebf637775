// Words of a message in which a value that holds no longer is struck out, with what holds in its place.
import type { ComponentChildren } from "preact";
import { affairs } from "../core/session.ts";
import { t } from "../core/text.ts";

interface SupersededProps {
  text: string;
  affair: string | undefined; // under which the message is filed; its key facts say what has changed since
  at: string | undefined;
}

export function Superseded({ text, affair, at }: SupersededProps) {
  let parts: ComponentChildren[] = [text];
  for (const past of changedSince(affair, at)) parts = parts.flatMap((part) => (typeof part === "string" ? strike(part, past.value, past.now) : [part]));
  return <>{parts}</>;
}

// changedSince returns the values of an affair that held when something was said and hold no longer.
function changedSince(affair: string | undefined, at: string | undefined): { value: string; now: string }[] {
  const a = affair && affairs.value.find((x) => x.id === affair);
  if (!a || !at) return [];
  return (a.past_facts ?? [])
    .filter((p) => p.value.length > 1 && new Date(p.until) > new Date(at) && a.key_facts[p.label] !== p.value)
    .map((p) => ({ value: p.value, now: a.key_facts[p.label] ?? "" }));
}

function strike(text: string, value: string, now: string): ComponentChildren[] {
  const pieces = text.split(value);
  if (pieces.length < 2) return [text];
  return pieces.flatMap((piece, i): ComponentChildren[] => (i === 0 ? [piece] : [
    <del class="superseded" title={now ? t("source.now", { value: now }) : t("source.ended")}>{value}</del>, now && <ins class="now"> {now}</ins>, piece,
  ]));
}
