// The events of a turn, over a POST. A line that breaks is taken up behind the last event that was seen.
import { ApiError, failed, headers, type Schemas } from "./api.ts";

export type TurnEvent = Schemas["TurnEvent"];
export type TurnReply = Schemas["TurnReply"];

interface Asked {
  method: "GET" | "POST";
  url: string;
  body?: unknown;
}

const waits = [300, 1000, 2000, 4000, 8000]; // ms before each further try

// events yields the events of a turn, the last of which is run.end.
export async function* events(asked: Asked, signal: AbortSignal): AsyncGenerator<TurnEvent> {
  let seen = "";
  for (let tries = 0; ; ) {
    try {
      for await (const e of open(asked, seen, signal)) {
        seen = e.id || seen;
        tries = 0;
        const event = JSON.parse(e.data) as TurnEvent;
        yield event;
        if (event.event === "run.end") return;
      }
    } catch (err) {
      if (signal.aborted || err instanceof ApiError) throw err;
    }
    const wait = waits[tries++];
    if (wait === undefined) throw new ApiError("unavailable", 0, "no connection");
    await new Promise((done) => setTimeout(done, wait));
    if (signal.aborted) throw new DOMException("", "AbortError");
  }
}

async function* open(asked: Asked, seen: string, signal: AbortSignal) {
  const extra: Record<string, string> = { Accept: "text/event-stream" };
  if (asked.body !== undefined) extra["Content-Type"] = "application/json";
  if (seen) extra["Last-Event-ID"] = seen;
  const answer = await fetch(asked.url, {
    method: asked.method, headers: headers(extra), body: asked.body === undefined ? null : JSON.stringify(asked.body), signal,
  });
  if (!answer.ok || !answer.body) throw await failed(answer);
  yield* parse(answer.body);
}

// parse splits a body into server-sent events.
async function* parse(body: ReadableStream<Uint8Array>): AsyncGenerator<{ id: string; data: string }> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (rest + decoder.decode(value, { stream: true })).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const fields: Record<string, string> = {};
        for (const line of block.split("\n")) {
          const at = line.indexOf(":");
          if (at > 0) fields[line.slice(0, at)] = line.slice(at + 1).replace(/^ /, "");
        }
        if (fields.data) yield { id: fields.id ?? "", data: fields.data };
      }
    }
  } finally {
    reader.cancel().catch(() => {}); // it may be broken already
  }
}
