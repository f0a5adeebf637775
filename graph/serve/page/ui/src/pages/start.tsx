// The first page: the session that was used last, or a new one.
import { useEffect } from "preact/hooks";
import { listTalks } from "../core/load.ts";
import { go, to } from "../core/route.ts";
import { fail } from "../core/toast.ts";
import { newSession } from "../shell/shell.tsx";

export default function Start() {
  useEffect(() => {
    listTalks().then((found) => go(to`/s/${found[0]?.id ?? newSession()}`, true), fail);
  }, []);
  return <main />;
}
