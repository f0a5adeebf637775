// Puts texts into each field that the service takes one for, as a client of the API, and returns what the service has made of them.
import { base, key } from "./page.mjs";

function caller(user) {
  const refused = new Map();
  const call = async (method, path, body) => {
    const answer = await fetch(base + path, {
      method, headers: { Authorization: `Bearer ${key}`, "X-Mneme-User": user, ...(body ? { "Content-Type": "application/json" } : {}) }, body: body && JSON.stringify(body),
    });
    const found = answer.status === 204 ? {} : await answer.json();
    if (answer.ok) return found;
    const what = `${method} ${path.split("/").slice(0, 4).join("/")} ${answer.status} ${(found.detail ?? "").replace(/"(\\.|[^"\\])*"/g, "...").replace(/affair .*?: /, "")}`.slice(0, 160);
    refused.set(what, (refused.get(what) ?? 0) + 1);
    return null;
  };
  call.all = async (path) => {
    const out = [];
    for (let cursor = ""; ; ) {
      const page = await call("GET", `${path}${path.includes("?") ? "&" : "?"}limit=200${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`);
      out.push(...(page?.items ?? []));
      if (!(cursor = page?.next_cursor ?? "")) return out;
    }
  };
  call.refused = refused;
  return call;
}

export async function fill(user, short, long) {
  const call = caller(user);
  const texts = [...short, long];
  for (const [i, s] of texts.entries()) {
    await call("POST", "/api/v1/records", { subject: s.slice(0, 480), content: `${s} no. ${i}`, kind: ["fact", "decision", "contact"][i % 3], pinned: i % 9 === 0 });
    await call("POST", "/api/v1/affairs", { title: s.slice(0, 190), summary: s.slice(0, 4000), topics: [s.slice(0, 200)], pending_actions: [s.slice(0, 1000)], key_facts: { [s.slice(0, 200)]: s.slice(0, 1000) } });
    await call("POST", "/api/v1/ingest-immediate", { content: `${s} document`, sourceUrn: s.slice(0, 250), kind: "note", metadata: { title: s.slice(0, 200), topics: s.slice(0, 200), author: s.slice(0, 200) } });
    if (s.length <= 128) await call("GET", `/api/v1/affairs/${encodeURIComponent(s)}`); // for the log of requests
    await call("POST", "/api/v1/access-keys", { roles: ["read"], note: s.slice(0, 190) });
  }
  await talk(call, texts);
  await retire(call);
  await ask(call, texts);
  const out = await read(call, texts);
  for (const [what, n] of call.refused) console.log(`look  refused ${n} times: ${what}`);
  return out;
}

async function talk(call, texts) {
  for (const [i, s] of texts.entries()) {
    const attached = [{ name: s.slice(0, 190), mime: "text/plain", text: s.slice(0, 4000) }];
    await call("POST", "/api/v1/turns", { message: s, session_id: "xss", message_id: `said-${i}`, speaker: s.slice(0, 120), attachments: attached, metadata: { note: s.slice(0, 200) } });
    await call("POST", "/api/v1/turns", { message: `recall: ${s}`, session_id: "tools", message_id: `asked-${i}`, extra_context: { notes: [s.slice(0, 500)], links: [`https://evil.example/?q=${s.replace(/\s/g, "+").slice(0, 400)}`] } });
  }
}

async function retire(call) {
  for (const [i, r] of (await call.all("/api/v1/records")).entries()) {
    if (i % 4 === 0) await call("PATCH", `/api/v1/records/${r.id}`, { content: `${r.content} corrected` }); // what is ended by hand reads [forgotten]
  }
}

// ask has questions and suggestions wait: with autonomy 1 a call that would change memory does.
async function ask(call, texts) {
  for (const [i, s] of texts.entries()) await call("PUT", "/api/v1/settings/user", { set: { max_suggestions_per_user: String(150 + i) }, why: s.slice(0, 900) });
  await call("PUT", "/api/v1/settings/user", { set: { autonomy: "1" } });
  await new Promise((done) => setTimeout(done, 3000)); // settings are read again every second or two
  for (const [i, s] of texts.entries()) {
    const session = `ask-${i}`;
    const turn = await call("POST", "/api/v1/turns", { message: `keep: ${s}`, session_id: session });
    await call("PATCH", `/api/v1/sessions/${session}`, { title: s.slice(0, 190) });
    const choice = ["", "suggest", "reject", ""][i % 4];
    if (turn?.waits?.length && choice) await call("POST", `/api/v1/sessions/${session}/answers`, { answers: { [turn.waits[0].id]: { choice, reason: s.slice(0, 900), by: s.slice(0, 200) } } });
  }
  const waits = await call.all("/api/v1/suggestions");
  for (const [i, x] of waits.entries()) if (i % 3 === 0) await call("POST", `/api/v1/suggestions/${x.id}`, { choice: "reject", reason: texts[i], by: texts[i].slice(0, 200) });
}

async function read(call, texts) {
  const users = async (session) => (await call.all(`/api/v1/sessions/${session}/messages`)).filter((m) => m.role === "user");
  const [said, asked] = [await users("xss"), await users("tools")];
  const turns = (of) => of.map((m) => ({ id: m.turn, text: m.text }));
  const [audit, records] = [(await call("GET", "/api/v1/audit?limit=1000")).items, await call.all("/api/v1/records?history=true")];
  const out = {
    said: said.map((m) => m.text), asked: asked.map((m) => m.text), turns: { xss: turns(said), tools: turns(asked) }, records,
    retired: audit.filter((c) => c.kind === "records" && c.fields?.some((f) => f.field === "valid_to" && f.after)).map((c) => records.find((r) => r.id === c.id)?.content ?? ""),
    affairs: await call.all("/api/v1/affairs"),
    questions: (await call("GET", "/api/v1/questions")).items.map((q) => JSON.parse(q.arguments).text).filter((x) => !/["\\\n\t\u0001]/.test(x)),
    suggestions: (await call.all("/api/v1/suggestions?answered=true")).map((x) => x.text),
    titles: (await call("GET", "/api/v1/sessions?limit=100")).items.map((x) => x.title ?? ""),
    whys: (await call("GET", "/api/v1/settings/user/history")).items.map((c) => c.why ?? ""), notes: (await call("GET", "/api/v1/access-keys")).items.map((k) => k.note ?? ""),
  };
  console.log(`look  ${texts.length} texts: ${Object.entries(out).map(([name, of]) => `${Array.isArray(of) ? of.length : "-"} ${name}`).join(", ")}`);
  return out;
}
