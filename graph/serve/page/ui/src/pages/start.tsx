// The first page: the session that was used last, or a new one.
import { useEffect } from "preact/hooks";
import { api } from "../core/api.ts";
import { go, to } from "../core/route.ts";
import { fail } from "../core/toast.ts";
import { newSession } from "../shell/shell.tsx";

export default function Start() {
  useEffect(() => {
    api.get("/api/v1/sessions", { query: { limit: 1 } }).then((found) => go(to`/s/${found.items?.[0]?.id ?? newSession()}`, true), fail);
  }, []);
  return <main />;
}
