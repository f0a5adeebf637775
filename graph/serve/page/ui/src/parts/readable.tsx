// A value of the service as a list that can be read; its raw form is behind a fold.
import type { ComponentChildren } from "preact";
import { language, t } from "../core/text.ts";
import { Time } from "../core/ui.tsx";

const deepest = 5; // what lies deeper is shown as it is stored

export function Readable({ value }: { value: unknown }) {
  const plain = typeof value !== "object" || value === null;
  return (
    <div class="readable">
      {shown(value, 0)}
      {!plain && <details class="raw"><summary>{t("chat.details")}</summary><pre tabIndex={0}>{JSON.stringify(value, null, 2)}</pre></details>}
    </div>
  );
}

// ReadableText is that of a text which may be JSON.
export function ReadableText({ text }: { text: string }) {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object") return <Readable value={value} />;
  } catch {
    // It is words, which stay as they are.
  }
  return <pre tabIndex={0}>{text}</pre>;
}

function shown(value: unknown, depth: number): ComponentChildren {
  if (value === null || value === undefined || value === "") return <span class="small">{t("value.none")}</span>;
  if (typeof value === "boolean") return t(value ? "value.yes" : "value.no");
  if (typeof value === "number") return value.toLocaleString(language.value);
  if (typeof value === "string") return <span class="text">{value}</span>;
  if (typeof value !== "object") return String(value);
  if ("$date" in value) return <Time at={String(value.$date)} />;
  const entries = Object.entries(value);
  if (entries.length === 0) return <span class="small">{t("value.none")}</span>;
  if (depth >= deepest) return <code>{JSON.stringify(value)}</code>;
  if (Array.isArray(value)) return <ul>{value.map((x, i) => <li key={i}>{shown(x, depth + 1)}</li>)}</ul>;
  return <dl>{entries.map(([name, x]) => <div key={name}><dt>{name.replaceAll("_", " ")}</dt><dd>{shown(x, depth + 1)}</dd></div>)}</dl>;
}
