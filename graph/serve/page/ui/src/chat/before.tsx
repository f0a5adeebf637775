// Going back to before a turn: what happens to the conversation, and what to that which was learnt since, is said first.
import { useState } from "preact/hooks";
import { api } from "../core/api.ts";
import { changed } from "../core/load.ts";
import { t } from "../core/text.ts";
import { fail, toast } from "../core/toast.ts";
import { Check, Confirm, Empty } from "../core/ui.tsx";
import { useLoaded } from "../parts/loaded.tsx";
import { goBefore, root } from "./branches.ts";
import type { Conversation } from "./conversation.ts";
import { learntFrom, sinceText, type Change } from "./learning.ts";
import { Learning } from "./learnt.tsx";
import type { Turn } from "./turns.ts";

const mostListed = 6;

interface BeforeProps {
  c: Conversation;
  turn: Turn;
  before: string | undefined;
  onClose: () => void;
}

export function GoBefore({ c, turn, before, onClose }: BeforeProps) {
  const since = useLoaded(() => changesSince(c, turn), [turn.id]);
  const [also, setAlso] = useState(false);
  const items = since.value && learntFrom(since.value).filter((x) => x.of !== "summary" && (x.now || x.was));
  const go = async () => {
    try {
      await goBefore(c.session, before);
      if (also) await takeBack(since.value ?? []);
    } catch (err) {
      fail(err);
    }
  };
  const text = (
    <>
      <blockquote class="quoted">{turn.said}</blockquote>
      <p>{t("chat.before_text")}</p>
      {!items ? !since.error && <Empty>…</Empty> : items.length === 0 ? <p>{t("before.nothing")}</p> : (
        <>
          <p>{t("before.stays")}</p>
          <Learning items={items.slice(0, mostListed)} affair={undefined} />
          {items.length > mostListed && <p class="small">{t("affair.more", { n: items.length - mostListed })}</p>}
          <Check label={t("before.also")} value={also} onChange={setAlso} />
          <p class="small">{t("before.also_text")}</p>
        </>
      )}
    </>
  );
  return <Confirm title={t("chat.before")} text={text} action={t("chat.before_do")} harmless={!also} onClose={onClose} onConfirm={() => void go()} />;
}

// changesSince returns what a turn and those after it changed in memory, the newest first. In a branch some of them ran in the session that it came from.
async function changesSince(c: Conversation, turn: Turn): Promise<Change[]> {
  const all = c.turns.peek();
  const later = new Set(all.slice(all.findIndex((x) => x.id === turn.id)).map((x) => x.id));
  const found = await api.get("/api/v1/audit", { query: { limit: 1000, ...(turn.at ? { since: sinceText(turn.at) } : {}) } });
  return (found.items ?? []).filter((x) => later.has(x.by.turn ?? "") && root(x.session_id ?? "") === root(c.session));
}

// takeBack takes back the commits by which something was learnt, the newest first. Affairs stay open, and which one is active stays too.
async function takeBack(changes: Change[]) {
  const commits = [...new Set(changes.filter((x) => learntFrom([x]).length > 0).map((x) => x.change))].sort((a, b) => b - a);
  let left = 0;
  for (const change of commits) {
    await api.post("/api/v1/audit/{change}/undo", { path: { change } }).catch((err: unknown) => {
      if (!left++) fail(err); // the first says why
    });
  }
  if (left) fail(new Error(t("before.left", { n: left })));
  else toast(t("before.taken_back"));
  changed();
}
