// A conversation's messages as turns, and what the events of a turn add to one.
import type { Schemas } from "../core/api.ts";
import type { TurnEvent } from "../core/stream.ts";

type Message = Schemas["StateMessage"];
export type Decision = Schemas["Decision"];

// Step is a call of a tool within a turn.
export interface Step {
  id: string;
  tool: string;
  arguments: string;
  result?: string;
  answered?: Schemas["StateAnswered"];
}

export interface Turn {
  id: string;
  said: string;
  files: Schemas["StateAttachment"][];
  at?: string;
  steps: Step[];
  reply: string;
  cut?: boolean;
  why?: string;
  affair?: string;
  decision?: Decision;
  working?: boolean;
  attempt?: string;
  problem?: Schemas["Problem"];
}

// group returns the turns that messages are of, in their order.
export function group(messages: Message[]): Turn[] {
  const turns = new Map<string, Turn>();
  for (const m of messages) {
    let turn = turns.get(m.turn);
    if (!turn) turns.set(m.turn, (turn = { id: m.turn, said: "", files: [], at: m.at, steps: [], reply: "" }));
    addMessage(turn, m);
  }
  return [...turns.values()];
}

function addMessage(turn: Turn, m: Message) {
  if (m.affair) turn.affair = m.affair;
  switch (m.role) {
    case "user":
      turn.said = turn.said ? `${turn.said}\n\n${m.text}` : m.text;
      turn.files.push(...(m.attachments ?? []));
      if (m.why) turn.why = m.why;
      break;
    case "assistant":
      for (const c of m.tool_calls ?? []) turn.steps.push({ id: c.id, tool: c.name, arguments: c.arguments });
      turn.reply = [turn.reply, m.text].filter(Boolean).join("\n\n");
      if (m.cut) turn.cut = true;
      break;
    case "tool": {
      const step = turn.steps.find((s) => s.id === m.tool_call_id);
      if (step) step.result = m.text;
      if (step && m.answered) step.answered = m.answered;
    }
  }
}

// after returns a turn as it stands after an event.
export function after(turn: Turn, e: TurnEvent): Turn {
  const next = { ...turn, steps: turn.steps };
  if (e.attempt && e.attempt !== turn.attempt) {
    next.attempt = e.attempt;
    if (e.event === "token") next.reply = ""; // what came before is void
  }
  switch (e.event) {
    case "token":
      next.reply += e.text ?? "";
      break;
    case "context.decision":
      if (e.decision) next.decision = e.decision;
      break;
    case "tool.call":
      next.steps = [...turn.steps.filter((s) => s.id !== e.call), { id: e.call ?? "", tool: e.tool ?? "", arguments: e.text ?? "" }];
      if (next.reply && !next.reply.endsWith("\n\n")) next.reply += "\n\n";
      break;
    case "tool.result":
      next.steps = turn.steps.map((s) => (s.id === e.call ? { ...s, result: e.text ?? "" } : s));
      break;
    case "run.end":
      next.working = false;
      if (e.reply) end(next, e.reply);
      if (e.problem) next.problem = e.problem;
  }
  return next;
}

function end(turn: Turn, reply: Schemas["TurnReply"]) {
  turn.reply = reply.reply || turn.reply;
  turn.decision = reply.decision;
  if (reply.cut) turn.cut = true;
  if (reply.decision.affair_id) turn.affair = reply.decision.affair_id;
}
