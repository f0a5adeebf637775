import { t } from "../core/text.ts";
export function Inspector(_: { session: string; turn: string; turns: string[]; onClose: () => void; onChange: () => void }) {
  return <aside class="inspector"><h2>{t("chat.inspect")}</h2></aside>;
}
