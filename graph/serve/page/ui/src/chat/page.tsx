import { t } from "../core/text.ts";

export default function Chat() {
  return <main class="narrow"><h1>{t("menu.inbox")}</h1></main>;
}
