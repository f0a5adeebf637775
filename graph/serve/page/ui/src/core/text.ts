// The page's texts, in the user's language.
import { signal } from "@preact/signals";

type Texts = Record<string, string | Partial<Record<Intl.LDMLPluralRule, string>>>;
export type Key = Exclude<keyof typeof import("../texts/en.json"), "default">;
export const languages = { en: "English", cs: "Čeština", pl: "Polski", ru: "Русский" } as const;
export type Language = keyof typeof languages;

export const language = signal<Language>("en");
const texts = signal<Texts>({});
let plural = new Intl.PluralRules("en");

const files: Record<Language, () => Promise<{ default: unknown }>> = {
  en: () => import("../texts/en.json"),
  cs: () => import("../texts/cs.json"),
  pl: () => import("../texts/pl.json"),
  ru: () => import("../texts/ru.json"),
};

function isLanguage(name: string | null | undefined): name is Language {
  return name != null && name in languages;
}

// preferred is the language that was chosen here, else the first of the browser's that there is.
function preferred(): Language {
  const chosen = localStorage.getItem("mneme.language");
  if (isLanguage(chosen)) return chosen;
  return navigator.languages.map((l) => l.slice(0, 2)).find(isLanguage) ?? "en";
}

export async function useLanguage(name: Language = preferred()) {
  texts.value = (await files[name]()).default as Texts;
  plural = new Intl.PluralRules(name);
  language.value = name;
  document.documentElement.lang = name;
}

export function chooseLanguage(name: Language) {
  localStorage.setItem("mneme.language", name);
  void useLanguage(name);
}

// t returns a text with its blanks filled; {n} chooses the plural form.
export function t(key: Key, values: Record<string, string | number> = {}): string {
  const found = texts.value[key];
  const text = typeof found === "object" ? (found[plural.select(Number(values.n ?? 0))] ?? found.other ?? key) : (found ?? key);
  return text.replace(/\{(\w+)\}/g, (blank, name: string) => {
    const value = values[name];
    return typeof value === "number" ? value.toLocaleString(language.value) : (value ?? blank);
  });
}

// hasText reports whether there is a text under a name that came from the service.
export function hasText(key: string): key is Key {
  return key in texts.value;
}
