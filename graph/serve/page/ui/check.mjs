// Checks the texts: the same keys in each language, each used, the same blanks, plural forms complete, reasons as the service gives them.
import { readFileSync, readdirSync } from "node:fs";
import { fresh } from "./reasons.mjs";

const src = new URL("src/", import.meta.url);
const languages = ["en", "cs", "pl", "ru"];
const texts = Object.fromEntries(languages.map((l) => [l, JSON.parse(readFileSync(new URL(`texts/${l}.json`, src), "utf8"))]));
const code = readdirSync(src, { recursive: true }).filter((f) => /\.tsx?$/.test(f) && !f.endsWith(".d.ts")).map((f) => readFileSync(new URL(f, src), "utf8")).join("\n");
const made = [...code.matchAll(/`([a-z_]+\.(?:[a-z_]+\.)*)\$\{/g)].map((m) => m[1]); // keys with a known beginning: t(`kind.${x}`)
const wrong = [];

const blanks = (text) => [...new Set(Object.values(typeof text === "string" ? [text] : text).flatMap((s) => s.match(/\{\w+\}/g) ?? []))].sort().join();
for (const key of Object.keys(texts.en)) {
  if (!code.includes(`"${key}"`) && !made.some((start) => key.startsWith(start))) wrong.push(`${key} is not used`);
}
for (const l of languages) {
  const wants = new Intl.PluralRules(l).resolvedOptions().pluralCategories;
  for (const key of new Set([...Object.keys(texts.en), ...Object.keys(texts[l])])) {
    const text = texts[l][key];
    const english = texts.en[key];
    if (text === undefined || english === undefined) wrong.push(`${l}: ${key} is missing${english === undefined ? " in en" : ""}`);
    else if (typeof text !== typeof english) wrong.push(`${l}: ${key} has plural forms in one language only`);
    else if (blanks(text) !== blanks(english)) wrong.push(`${l}: ${key} has blanks ${blanks(text)}, want ${blanks(english)}`);
    else if (typeof text === "object" && wants.some((w) => !text[w])) wrong.push(`${l}: ${key} wants ${wants}`);
  }
}
if (!fresh()) wrong.push("the sentences of reasons are others by now: npm run reasons");
for (const line of wrong) console.error(line);
if (wrong.length) process.exit(1);
console.log(`${Object.keys(texts.en).length} texts in ${languages.length} languages`);
