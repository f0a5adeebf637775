// The first page: the session that was used last, or a new one.
import { useEffect } from "preact/hooks";
import { listTalks } from "../core/load.ts";
import { go, to } from "../core/route.ts";
import { fail } from "../core/toast.ts";
import { newSession } from "../shell/shell.tsx";

export default function Start() {
  useEffect(() => {
    let here = true; // who has gone on to another page is not taken away from it
    listTalks().then((found) => here && go(to`/s/${found[0]?.id ?? newSession()}`, true), fail);
    return () => { here = false; };
  }, []);
  return <main />;
}
