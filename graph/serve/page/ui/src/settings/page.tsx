// Settings: what holds and who says so, what was changed, the access keys, and how this page looks.
import type { ComponentType } from "preact";
import { to } from "../core/route.ts";
import { user } from "../core/session.ts";
import { t } from "../core/text.ts";
import { Chip } from "../core/ui.tsx";
import { inAddress } from "../parts/address.ts";
import { Tabs } from "../parts/tabs.tsx";
import { useTitle } from "../parts/title.ts";
import { LanguageAndTheme } from "../shell/looks.tsx";
import { History } from "./history.tsx";
import { Keys } from "./keys.tsx";
import { List } from "./list.tsx";

const parts = { settings: List, history: History, keys: Keys, looks: Looks } satisfies Record<string, ComponentType>;
type Part = keyof typeof parts;

export default function Settings() {
  const part = (Object.hasOwn(parts, inAddress("part")) ? inAddress("part") : "settings") as Part;
  const Here = parts[part];
  useTitle(t("menu.settings"));
  return (
    <main class="wide settings">
      <h1>{t("menu.settings")} {user.value && <Chip>{user.value}</Chip>}</h1>
      <Tabs label={t("menu.settings")} at={part} first="settings" base={to`/settings`} tabs={(Object.keys(parts) as Part[]).map((p) => [p, t(`settings.part.${p}`)] as const)} />
      <Here />
    </main>
  );
}

function Looks() {
  return <div class="card"><LanguageAndTheme /></div>;
}
