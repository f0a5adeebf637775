// A session as the page shows it: its turns, affairs and open questions, and the turn at work.
import { signal } from "@preact/signals";
import { address, api, ApiError, type Schemas } from "../core/api.ts";
import { changed } from "../core/load.ts";
import { events, type TurnEvent } from "../core/stream.ts";
import { fail, problemText } from "../core/toast.ts";
import { readAgain } from "./accounts.ts";
import { nameBranch } from "./branches.ts";
import { after, group, type Turn } from "./turns.ts";

type Message = Schemas["StateMessage"];
export type Affair = Schemas["StateAffair"];
export type Question = Schemas["Question"];
export type Options = Pick<Schemas["TurnRequest"], "preferred_language" | "tone" | "style_notes" | "preference_scope" | "store_knowledge" | "attachments">;

// pageSize is how many messages are read at a time.
const pageSize = 500;

export class Conversation {
  readonly info = signal<Schemas["StateSession"] | null>(null);
  readonly turns = signal<Turn[]>([]);
  readonly affairs = signal<Affair[]>([]);
  readonly tasks = signal<Schemas["StateRecord"][]>([]);
  readonly questions = signal<Question[]>([]);
  readonly working = signal(""); // the turn
  readonly node = signal("");
  readonly loaded = signal(false);
  readonly broken = signal(""); // why it could not be read
  readonly earlier = signal(""); // the turn before the first of turns, where not all are read; "" = all are
  private line = new AbortController();
  private read: Message[] = []; // the oldest first
  private cursor = ""; // of the page before

  constructor(readonly session: string) {}

  // load reads all of it, and takes up a turn that is at work.
  async load() {
    try {
      await Promise.all([this.loadTurns(), this.loadAside()]);
    } catch (err) {
      this.broken.value = problemText(err);
      return;
    }
    this.broken.value = "";
    this.loaded.value = true;
    const last = this.turns.value.at(-1);
    if (last && !last.reply && !last.cut && !this.working.value && !this.questions.value.length) void this.follow(last.id);
  }

  // loadTurns reads the newest messages, and as far back as was read before.
  private async loadTurns() {
    const until = this.read[0]?.seq ?? Infinity;
    const read: Message[] = [];
    let cursor = "";
    do cursor = await this.readPage(read, cursor);
    while (cursor && read[0]!.seq > until);
    this.read = read;
    this.show(cursor);
  }

  // loadEarlier reads back until it has a turn, or one page more.
  async loadEarlier(turn = "") {
    try {
      const read = [...this.read];
      let cursor = this.cursor;
      while (cursor) {
        cursor = await this.readPage(read, cursor);
        if (!turn || read.some((m) => m.turn === turn)) break;
      }
      this.read = read;
      this.show(cursor);
    } catch (err) {
      fail(err);
    }
  }

  // readPage puts the page of messages before a cursor in front, and returns the cursor of the one before that.
  private async readPage(read: Message[], cursor: string): Promise<string> {
    const page = await api.get("/api/v1/sessions/{session}/messages", { path: { session: this.session }, query: { limit: pageSize, order: "desc", cursor } });
    read.unshift(...(page.items ?? []).reverse());
    return page.next_cursor ?? "";
  }

  // show makes turns of what was read. The first one may not be whole: it only is the one before the others.
  private show(cursor: string) {
    const read = group(this.read);
    this.cursor = cursor;
    this.earlier.value = cursor && read.length > 1 ? read.shift()!.id : "";
    const known = new Map(this.turns.value.map((turn) => [turn.id, turn]));
    const unread = this.turns.value.filter((turn) => (turn.working || turn.problem) && !read.some((x) => x.id === turn.id));
    this.turns.value = [...read.map((turn) => keepKnown(turn, known.get(turn.id))), ...unread];
  }

  // loadAside reads what stands beside the turns.
  async loadAside() {
    const query = { limit: 200 };
    const [affairs, tasks, questions, info] = await Promise.all([
      api.get("/api/v1/affairs", { query: { ...query, session_id: this.session } }),
      api.get("/api/v1/tasks", { query }),
      api.get("/api/v1/questions"),
      api.get("/api/v1/sessions/{session}", { path: { session: this.session } }).catch(unlessMissing),
    ]);
    this.affairs.value = affairs.items ?? [];
    this.tasks.value = tasks.items ?? [];
    this.questions.value = (questions.items ?? []).filter((q) => q.session_id === this.session);
    this.info.value = info;
  }

  // send says something. The message's id is the turn's, and makes sending it again safe.
  async send(text: string, options: Options, id: string = crypto.randomUUID().slice(0, 13)) {
    const turn: Turn = { id, said: text, files: options.attachments ?? [], at: new Date().toISOString(), steps: [], reply: "", working: true };
    this.turns.value = [...this.turns.value.filter((x) => x.id !== id), turn];
    const body: Schemas["TurnRequest"] = { ...options, message: text, session_id: this.session, message_id: id };
    await this.run(id, { method: "POST", url: address("/api/v1/turns", {}), body });
  }

  async answer(answers: Record<string, Schemas["AnswerRequest"]>) {
    const last = this.turns.value.at(-1);
    this.questions.value = this.questions.value.filter((q) => !(q.id in answers));
    await this.run(last?.id ?? "", { method: "POST", url: address("/api/v1/sessions/{session}/answers", { path: { session: this.session } }), body: { answers } });
  }

  private follow(id: string) {
    return this.run(id, { method: "GET", url: address("/api/v1/sessions/{session}/turns/{turn}/events", { path: { session: this.session, turn: id } }) });
  }

  private async run(id: string, asked: Parameters<typeof events>[0]) {
    this.line.abort();
    const line = (this.line = new AbortController());
    this.working.value = id;
    try {
      for await (const e of events(asked, line.signal)) this.take(id, e);
    } catch (err) {
      if (line.signal.aborted) return;
      if (err instanceof ApiError) this.change(id, (turn) => ({ ...turn, problem: problemOf(err) }));
      else fail(err);
    }
    this.change(id, (turn) => ({ ...turn, working: false }));
    if (this.line !== line) return;
    this.working.value = this.node.value = "";
    void readAgain(this.session, id); // a turn that waited has gone on
    await this.settle();
  }

  // settle shows what the service has kept of a turn that ended.
  private async settle() {
    try {
      await nameBranch(this.session);
      await Promise.all([this.loadTurns(), this.loadAside()]);
    } catch (err) {
      fail(err);
    }
    changed();
  }

  private take(id: string, e: TurnEvent) {
    if (e.event === "node.start") this.node.value = e.node ?? "";
    if (e.event === "node.end" && e.node === "context_detect") this.loadAside().catch(fail); // it may have opened an affair
    if (e.event === "question" && e.question) this.questions.value = [...this.questions.value.filter((q) => q.id !== e.question?.id), e.question];
    this.change(id, (turn) => after(turn, e));
  }

  private change(id: string, how: (turn: Turn) => Turn) {
    this.turns.value = this.turns.value.map((turn) => (turn.id === id ? how(turn) : turn));
  }

  async stop() {
    try {
      await api.post("/api/v1/sessions/{session}/cancel", { path: { session: this.session } });
    } catch (err) {
      fail(err);
    }
  }

  // leave lets go of the line. The turn itself goes on.
  leave() {
    this.line.abort();
  }
}

// keepKnown keeps what the events of a turn told and its messages do not: that it is at work, how sure the decision was, why it failed.
function keepKnown(turn: Turn, known: Turn | undefined): Turn {
  if (!known || known.working) return known ?? turn;
  const out = known.decision ? { ...turn, decision: known.decision } : turn;
  return known.problem && !turn.reply ? { ...out, problem: known.problem } : out;
}

function problemOf(err: ApiError): Schemas["Problem"] {
  return { code: err.code as Schemas["Problem"]["code"], status: err.status, detail: err.detail, request_id: err.requestID, title: "", type: "" };
}

function unlessMissing(err: unknown): null {
  if (err instanceof ApiError && err.code === "not_found") return null;
  throw err;
}
