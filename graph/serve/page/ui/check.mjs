// Checks the texts: the same keys in each language, each used, the same blanks, plural forms complete, one form of address, reasons as the service gives them.
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

// The user is addressed in one form: in Czech and Russian as "vy" and "вы", in Polish as "ty". These are known words of the other one.
const word = (forms) => new RegExp(`(?<!\\p{L})(?:${forms})(?!\\p{L})`, "giu");
const otherForms = {
  cs: word("ty|tě|ti|tebe|tobě|tebou|tv(?:ůj|oj[ei]|á|é|ou|ého|ému|ým|ých|ými)|jsi|sis|ses|bys|abys|kdybys|\\p{L}+(?:áš|íš|eš)"
    + "|(?:na|vy|po|do|při|pře|s|o|z|za)?(?:piš|ber|zkus|klikni|zadej|vol|najdi|otevři|zavři|pošli|podívej|počkej|nech|dej|hledej|použij|přidej|smaž|ulož|slovuj|čti|řekni|mluv|měň|tvrď|hlas|tiskni|jdi|začni|odpověz|vrať|schval|odmítni|uprav|tvoř)"),
  pl: word("Pan(?:a|u|em|i|ią)?|Państw(?:o|a|u|em)|wy|was|wam|wami|wasz\\p{L}*|\\p{L}+(?:szcie|rzcie|dźcie|dzcie|jcie|ecie|acie)|(?:rob|widz|myśl|mów)icie"),
  ru: word("ты|тебя|тебе|тобой|тво[йяеёию]\\p{L}*|\\p{L}+(?:ешь|ёшь|ишь)(?:ся)?|(?:на)?пиши|выбери|открой|нажми|попробуй|посмотри|скажи|удали|сохрани|введи|подожди|дождись|отправь|ответь|проверь|добавь|вернись|измени"),
};
for (const [l, form] of Object.entries(otherForms)) {
  for (const [key, text] of Object.entries(texts[l])) {
    const found = Object.values(typeof text === "string" ? [text] : text).flatMap((s) => s.match(form) ?? []);
    if (found.length) wrong.push(`${l}: ${key} addresses the user in another form: ${found}`);
  }
}
if (!fresh()) wrong.push("the sentences of reasons are others by now: npm run reasons");
for (const line of wrong) console.error(line);
if (wrong.length) process.exit(1);
console.log(`${Object.keys(texts.en).length} texts in ${languages.length} languages`);
