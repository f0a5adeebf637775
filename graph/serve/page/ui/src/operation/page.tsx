// Operating the service: how it stands, what was asked of it, what it did by itself, and trying it as some user.
import type { ComponentType } from "preact";
import { to } from "../core/route.ts";
import { t } from "../core/text.ts";
import { inAddress } from "../parts/address.ts";
import { Tabs } from "../parts/tabs.tsx";
import { useTitle } from "../parts/title.ts";
import { Audit } from "./audit.tsx";
import { Batches } from "./batches.tsx";
import { Health } from "./health.tsx";
import { Models } from "./models.tsx";
import { Requests } from "./requests.tsx";
import { Suggestions } from "./suggestions.tsx";
import { Try } from "./try.tsx";

const parts = { requests: Requests, health: Health, models: Models, try: Try, batches: Batches, audit: Audit, suggestions: Suggestions } satisfies Record<string, ComponentType>;
type Part = keyof typeof parts;

export default function Operation() {
  const part = (Object.hasOwn(parts, inAddress("part")) ? inAddress("part") : "requests") as Part;
  const Here = parts[part];
  useTitle(t("menu.operation"));
  return (
    <main class="wide operation">
      <h1>{t("menu.operation")}</h1>
      <Tabs label={t("menu.operation")} at={part} first="requests" base={to`/operation`} tabs={(Object.keys(parts) as Part[]).map((p) => [p, t(`operation.part.${p}`)] as const)} />
      <Here />
    </main>
  );
}
