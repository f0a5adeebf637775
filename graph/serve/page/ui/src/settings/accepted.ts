// What a setting takes, said and checked before it is sent.
import type { Schemas } from "../core/api.ts";
import { t } from "../core/text.ts";
import { number } from "../core/time.ts";

type Setting = Schemas["Setting"];

// takesText says what a setting takes; "" = any text.
export function takesText(s: Setting): string {
  const [min, max] = [number(s.min ?? 0, 3), number(s.max ?? 0, 3)];
  switch (s.type) {
    case "integer": return s.max ? t("settings.takes_integer_to", { min, max }) : t("settings.takes_integer", { min });
    case "number": return s.max ? t("settings.takes_number_to", { min, max }) : t("settings.takes_number", { min });
    case "duration": return t("settings.takes_duration");
    default: return "";
  }
}

// isTaken reports whether a value is one that the setting takes, as far as that is known here.
export function isTaken(s: Setting, value: string): boolean {
  const fits = (n: number) => n >= (s.min ?? 0) && (!s.max || n <= s.max);
  switch (s.type) {
    case "integer": return /^-?\d+$/.test(value) && fits(Number(value));
    case "number": return value !== "" && Number.isFinite(Number(value)) && fits(Number(value));
    case "duration": return value === "0" || /^(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+$/.test(value);
    default: return true;
  }
}
