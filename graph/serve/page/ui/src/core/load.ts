// What the shell shows beside each page: sessions, and how much waits for an answer. Tabs tell each other of changes.
import { api } from "./api.ts";
import { affairs, sessions, waiting } from "./session.ts";
import { fail } from "./toast.ts";

const tabs = new BroadcastChannel("mneme");
const listeners = new Set<() => void>();

// listTalks returns the sessions that were used last. What a chat program had made of its talks by itself is no talk.
export async function listTalks() {
  const found = await api.get("/api/v1/sessions", { query: { limit: 100 } });
  return (found.items ?? []).filter((s) => !s.id.startsWith("errand-"));
}

// newest is which reading of each kind was asked for last: an older one may come later, even of another user, and is not shown.
const newest = { sessions: 0, waiting: 0 };

export async function loadSessions() {
  const mine = ++newest.sessions;
  try {
    const [found, known] = await Promise.all([listTalks(), api.get("/api/v1/affairs", { query: { limit: 500 } })]);
    if (mine !== newest.sessions) return;
    affairs.value = known.items ?? [];
    sessions.value = found;
  } catch (err) {
    fail(err);
  }
}

export async function loadWaiting() {
  const mine = ++newest.waiting;
  try {
    const [questions, suggestions] = await Promise.all([api.get("/api/v1/questions"), api.get("/api/v1/suggestions", { query: { limit: 100 } })]);
    if (mine === newest.waiting) waiting.value = (questions.items?.length ?? 0) + (suggestions.items?.length ?? 0);
  } catch (err) {
    fail(err);
  }
}

// changed reloads what is shown everywhere, here and in the other tabs.
export function changed() {
  tabs.postMessage("changed");
  refresh();
}

function refresh() {
  void loadSessions();
  void loadWaiting();
}

// onElsewhere calls back when another tab changed something, or this one is looked at again. It returns how to end that.
export function onElsewhere(reload: () => void): () => void {
  listeners.add(reload);
  return () => listeners.delete(reload);
}

function elsewhere() {
  if (document.hidden) return;
  refresh();
  for (const reload of listeners) reload();
}
tabs.onmessage = elsewhere;
document.addEventListener("visibilitychange", elsewhere);
