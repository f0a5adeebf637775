// The sentences by which the service gives the reasons of its decisions, in the languages of the page. They stand with the rules; --write copies them into src/texts.
import { readFileSync, writeFileSync } from "node:fs";

const from = new URL("../../../../memory/internal/read/facts/data/", import.meta.url);
const to = new URL("src/texts/reasons.json", import.meta.url);

export function reasons() {
  const of = (language) => [...readFileSync(new URL(`words_${language}.txt`, from), "utf8").matchAll(/^call reason ([^:]+): (.+)$/gm)].map((m) => [m[1], m[2].trim()]);
  return `${JSON.stringify(Object.fromEntries(["en", "cs", "pl", "ru"].map((l) => [l, Object.fromEntries(of(l))])), null, 1)}\n`;
}

export const fresh = () => readFileSync(to, "utf8") === reasons();

if (process.argv[2] === "--write") writeFileSync(to, reasons());
