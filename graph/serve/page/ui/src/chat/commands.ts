// Slash commands, as in the terminal.
import { api } from "../core/api.ts";
import { changed } from "../core/load.ts";
import { go, to } from "../core/route.ts";
import { t, type Key } from "../core/text.ts";
import { fail, toast } from "../core/toast.ts";
import { newSession } from "../shell/shell.tsx";
import type { Conversation } from "./conversation.ts";
import { moveTurn } from "./move.tsx";
import { clearWindow, endSession, renameSession, undoTurn } from "./sessionedits.ts";

export interface Command {
  name: string;
  says: Key;
  takes?: Key; // what stands after it
  needs?: boolean;
}

export const commands: Command[] = [
  { name: "/help", says: "command.help" },
  { name: "/affairs", says: "command.affairs" },
  { name: "/affair", says: "command.affair", takes: "affair.title", needs: true },
  { name: "/not-this", says: "command.not_this" },
  { name: "/undo", says: "command.undo" },
  { name: "/why", says: "command.why" },
  { name: "/clear", says: "command.clear" },
  { name: "/new", says: "command.new" },
  { name: "/end", says: "command.end" },
  { name: "/rename", says: "command.rename", takes: "affair.title", needs: true },
  { name: "/sessions", says: "command.sessions" },
  { name: "/suggestions", says: "command.suggestions" },
  { name: "/approve", says: "command.approve", takes: "command.id" },
  { name: "/reject", says: "command.reject", takes: "command.id" },
];

// Shows is what a command opens in the page.
export type Shows = (what: "help" | "affairs" | "move") => void;

// run runs a line that begins with a slash. It reports whether the line was one of the commands.
export async function run(c: Conversation, line: string, show: Shows): Promise<boolean> {
  const [word = "", ...rest] = line.trim().split(/\s+/);
  const name = word.toLowerCase() === "/cler" ? "/clear" : word.toLowerCase();
  const arg = rest.join(" ");
  const command = commands.find((x) => x.name === name);
  if (!command || (command.needs && !arg) || (arg && !command.takes)) {
    fail(new Error(t(command ? (arg ? "command.takes_nothing" : "command.needs_title") : "command.unknown", { name: word })));
    return false;
  }
  const last = c.turns.value.at(-1);
  try {
    await doCommand(c, name, arg, last?.id ?? "", show);
  } catch (err) {
    fail(err);
  }
  return true;
}

async function doCommand(c: Conversation, name: string, arg: string, last: string, show: Shows) {
  switch (name) {
    case "/help": return show("help");
    case "/affairs": return show("affairs");
    case "/sessions": return document.querySelector<HTMLElement>(".sessions a")?.focus();
    case "/new": return go(to`/s/${newSession()}`);
    case "/end": return endSession(c);
    case "/clear": return clearWindow(c);
    case "/rename": return renameSession(c, arg);
    case "/suggestions": return go(to`/inbox`);
    case "/approve": return answerSuggestion(arg, "approve");
    case "/reject": return answerSuggestion(arg, "reject");
  }
  if (!last) throw new Error(t("command.no_turn"));
  switch (name) {
    case "/affair": return moveTurn(c, last, c.affairs.value.find((a) => a.title === arg)?.id ?? arg, arg);
    case "/not-this": return show("move");
    case "/undo": return undoTurn(c, last);
    case "/why": return go(to`/s/${c.session}/t/${last}`);
  }
}

// answerSuggestion answers the one that begins with an id, or the only one.
async function answerSuggestion(arg: string, choice: "approve" | "reject") {
  const [id = "", ...reason] = arg.split(" ");
  const waits = (await api.get("/api/v1/suggestions", { query: { limit: 100 } })).items ?? [];
  const meant = waits.filter((s) => s.id.startsWith(id));
  if (meant.length !== 1) return go(to`/inbox`);
  const said = reason.join(" ").trim();
  await api.post("/api/v1/suggestions/{suggestion}", { path: { suggestion: meant[0]!.id }, body: { choice, ...(said ? { reason: said } : {}) } });
  toast(t(choice === "approve" ? "ask.approved" : "ask.rejected"));
  changed();
}
