// The search and the filters of the memory list. They stand in the address.
import { useEffect, useState } from "preact/hooks";
import { api } from "../core/api.ts";
import { to } from "../core/route.ts";
import { sessions, user } from "../core/session.ts";
import { t } from "../core/text.ts";
import { Button, Check, Select } from "../core/ui.tsx";
import { inAddress, setInAddress } from "../parts/address.ts";
import { DayInAddress, TextInAddress } from "../parts/inaddress.tsx";
import { useLoaded } from "../parts/loaded.tsx";
import { kinds, kindText } from "./item.tsx";

export function Filters() {
  const asked = inAddress("ask");
  const [text, setText] = useState(asked || inAddress("q"));
  const [way, setWay] = useState<"ask" | "q">(inAddress("q") ? "q" : "ask");
  useEffect(() => setText(asked || inAddress("q")), [asked, inAddress("q")]);
  const search = (e: Event) => {
    e.preventDefault();
    setInAddress({ ask: "", q: "", [way]: text.trim() }, false);
  };
  return (
    <search class="card">
      <form class="filters" onSubmit={search}>
        <div class="field search"><SearchField value={text} onInput={setText} /></div>
        <Select label={t("memory.way")} value={way} options={[["ask", t("memory.way_ask")], ["q", t("memory.way_words")]]} onChange={setWay} />
        <Button kind="main" type="submit">{t("memory.search")}</Button>
        {(asked || inAddress("q")) && <Button onClick={() => setInAddress({ ask: "", q: "" }, false)}>{t("memory.search_end")}</Button>}
      </form>
      <details open={narrowed()}>
        <summary>{t("memory.filters")}</summary>
        <div class="filters">
          <Narrow asked={asked !== ""} />
        </div>
      </details>
    </search>
  );
}

function SearchField(p: { value: string; onInput: (value: string) => void }) {
  return (
    <>
      <label for="memory-search">{t("memory.search_label")}</label>
      <input id="memory-search" type="search" autocomplete="off" value={p.value} onInput={(e) => p.onInput(e.currentTarget.value)} placeholder={t("memory.search_example")} />
    </>
  );
}

function narrowed(): boolean {
  return ["kind", "affair", "session", "pinned", "history", "agent", "from", "to", "as_of", "document"].some(inAddress);
}

// Narrow has what the service can narrow by: times and agents only where memory is asked, pins only in the list.
function Narrow({ asked }: { asked: boolean }) {
  const affairs = useLoaded(async (signal) => (await api.get("/api/v1/affairs", { query: { limit: 200 }, signal })).items ?? [], [user.value]);
  const all = ["", t("memory.any")] as const;
  return (
    <>
      <Select label={t("memory.kind")} value={inAddress("kind")} options={[all, ...kinds.map((k) => [k, kindText(k)] as const)]} onChange={(kind) => setInAddress({ kind })} />
      <Select label={t("memory.affair")} value={inAddress("affair")} options={[all, ...(affairs.value ?? []).map((a) => [a.id, a.title] as const)]} onChange={(affair) => setInAddress({ affair })} />
      <Select label={t("memory.session")} value={inAddress("session")} options={[all, ...sessions.value.map((s) => [s.id, s.title || s.id] as const)]} onChange={(session) => setInAddress({ session })} />
      <TextInAddress name="user" label={t("keys.user")} placeholder={t("shell.user_own")} />
      {asked ? <Times /> : (
        <>
          <TextInAddress name="document" label={t("memory.document")} />
          <Check label={t("memory.pinned_only")} value={inAddress("pinned") !== ""} onChange={(on) => setInAddress({ pinned: on ? "1" : "" })} />
          <Check label={t("memory.with_history")} value={inAddress("history") !== ""} onChange={(on) => setInAddress({ history: on ? "1" : "" })} />
        </>
      )}
      {narrowed() && <a class="button" href={to`/memory`}>{t("memory.no_filters")}</a>}
    </>
  );
}

function Times() {
  return (
    <>
      <TextInAddress name="agent" label={t("memory.agent")} />
      <DayInAddress name="from" label={t("memory.from")} />
      <DayInAddress name="to" label={t("memory.to")} />
      <DayInAddress name="as_of" label={t("memory.as_of")} />
    </>
  );
}
