// The page's entry: its table of routes, and the shell around what they lead to.
import "./app.css";
import { useSignal, useSignalEffect } from "@preact/signals";
import { type ComponentType, render } from "preact";
import { ApiError, api } from "./core/api.ts";
import { listen, match, path, type Params } from "./core/route.ts";
import { keyInAddress, signed, signIn } from "./core/session.ts";
import { useLanguage, t } from "./core/text.ts";
import { fail } from "./core/toast.ts";
import { Toasts } from "./core/ui.tsx";
import { Shell } from "./shell/shell.tsx";
import { SignIn } from "./shell/signin.tsx";

type Page = ComponentType<{ params: Params }>;

// Routes are tried in order. Each page is a chunk of its own.
const routes: [string, () => Promise<{ default: Page }>][] = [
  ["/", () => import("./pages/start.tsx")],
  ["/s/{session}", () => import("./chat/page.tsx")],
  ["/s/{session}/t/{turn}", () => import("./chat/page.tsx")],
  ["/inbox", () => import("./pages/inbox.tsx")],
  ["/s/{session}/timeline", () => import("./timeline/page.tsx")],
  ["/memory", () => import("./memory/list.tsx")],
  ["/memory/retired", () => import("./memory/retired.tsx")],
  ["/memory/{record}", () => import("./memory/record.tsx")],
  ["/brain", () => import("./brain/page.tsx")],
  ["/settings", () => import("./settings/page.tsx")],
  ["/operation", () => import("./operation/page.tsx")],
  ["/affairs/{id}", () => import("./pages/affair.tsx")],
];

function Routed() {
  const page = useSignal<{ page: Page; params: Params } | null>(null);
  useSignalEffect(() => {
    const at = path.value;
    for (const [pattern, load] of routes) {
      const params = match(pattern, at);
      if (!params) continue;
      load().then((m) => { if (path.peek() === at) page.value = { page: m.default, params }; }, fail);
      return;
    }
    page.value = { page: Missing, params: {} };
  });
  if (!page.value) return null;
  const Here = page.value.page;
  return <Here params={page.value.params} />;
}

function Missing() {
  return <main class="narrow"><h1>{t("page.missing")}</h1></main>;
}

function App() {
  return (
    <>
      <Toasts />
      {signed.value === "in" && <Shell><Routed /></Shell>}
      {signed.value === "out" && <SignIn />}
    </>
  );
}

// enter signs in with the key of the address, or finds out whether the cookie still holds.
async function enter() {
  const key = keyInAddress();
  if (key) return void (await signIn(key));
  try {
    await api.get("/api/v1/questions");
    signed.value = "in";
  } catch (err) {
    if (!(err instanceof ApiError && err.status === 401)) {
      fail(err);
      signed.value = "in";
    }
  }
}

await useLanguage();
listen();
render(<App />, document.getElementById("app")!);
await enter();
