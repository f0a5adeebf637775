import { t } from "../core/text.ts";

export default function Page() {
  return <main class="wide"><h1>{t("menu.brain")}</h1></main>;
}
