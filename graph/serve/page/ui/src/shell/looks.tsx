// Choosing the page's language, and light or dark.
import { chooseLanguage, language, languages, t, type Language } from "../core/text.ts";
import { theme, type Theme } from "../core/theme.ts";
import { Select } from "../core/ui.tsx";

export function LanguageAndTheme() {
  const themes = [["auto", t("theme.auto")], ["light", t("theme.light")], ["dark", t("theme.dark")]] as const;
  return (
    <div class="looks">
      <Select label={t("shell.language")} value={language.value} options={Object.entries(languages) as [Language, string][]} onChange={chooseLanguage} />
      <Select<Theme> label={t("shell.theme")} value={theme.value} options={themes} onChange={(v) => { theme.value = v; }} />
    </div>
  );
}
