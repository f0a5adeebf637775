// The turns of a session, the newest first, from its log and its messages. Both are read page by page while the first turns are looked at.
import { signal } from "@preact/signals";
import { api, type Schemas } from "../core/api.ts";

export type Step = Schemas["Step"];

export interface Turn {
  id: string;
  at: string;
  steps: Step[]; // the newest first
  seq: number; // of its message; 0 until that is read
  text: string;
  affair: string;
  why: string;
}

const page = 500;

export class Turns {
  readonly turns = signal<Turn[]>([]);
  readonly busy = signal(true);
  readonly error = signal<unknown>(null);
  readonly affairs = signal<ReadonlyMap<string, string>>(new Map());
  private readonly of = new Map<string, Turn>();
  private readonly ends = new AbortController();
  private readonly logged: string[] = []; // ids in the order of the log

  constructor(readonly session: string) {
    void this.load();
  }

  close() {
    this.ends.abort();
  }

  private async load() {
    try {
      await Promise.all([this.loadLog(), this.loadMessages(), this.loadAffairs()]);
    } catch (err) {
      if (!this.ends.signal.aborted) this.error.value = err;
    }
    this.busy.value = false;
  }

  private async loadLog() {
    for (let before = 0; ; ) {
      const found = await api.get("/api/v1/sessions/{session}/history", { path: { session: this.session }, query: { limit: page, ...(before ? { before } : {}) }, signal: this.ends.signal });
      const steps = found.items ?? [];
      for (const step of steps) this.addStep(step);
      this.show();
      before = steps.at(-1)?.step ?? 0;
      if (steps.length < page || before <= 1) return;
    }
  }

  private addStep(step: Step) {
    const known = this.of.get(step.turn_id);
    if (!known?.steps.length) this.logged.push(step.turn_id);
    this.set(step.turn_id, { at: known?.at ?? step.at, steps: [...(known?.steps ?? []), step] });
  }

  private async loadMessages() {
    for (let cursor = ""; ; ) {
      const found = await api.get("/api/v1/sessions/{session}/messages", { path: { session: this.session }, query: { limit: page, ...(cursor ? { cursor } : {}) }, signal: this.ends.signal });
      for (const m of found.items ?? []) {
        if (m.role !== "user") continue;
        if (!this.of.get(m.turn)?.seq) this.set(m.turn, { at: m.at, seq: m.seq, text: m.text, affair: m.affair ?? "", why: m.why ?? "" });
      }
      this.show();
      cursor = found.next_cursor ?? "";
      if (!cursor) return;
    }
  }

  private async loadAffairs() {
    const found = await api.get("/api/v1/affairs", { query: { limit: 500 }, signal: this.ends.signal });
    this.affairs.value = new Map((found.items ?? []).map((a) => [a.id, a.title]));
  }

  // set puts another turn in the place of the one that is known: a part draws again only what is another.
  private set(id: string, values: Partial<Turn>) {
    this.of.set(id, { ...(this.of.get(id) ?? { id, at: "", steps: [], seq: 0, text: "", affair: "", why: "" }), ...values });
  }

  // show has turns whose steps were pruned, or are not read yet, behind the others: they are older.
  private show() {
    const rest = [...this.of.values()].filter((x) => x.steps.length === 0).sort((a, b) => b.seq - a.seq);
    this.turns.value = [...this.logged.map((id) => this.of.get(id)!), ...rest];
  }
}

// unfinished reports whether a turn was left before its end.
export function unfinished(of: Turn): boolean {
  return (of.steps[0]?.next?.length ?? 0) > 0;
}
