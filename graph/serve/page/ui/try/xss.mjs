// Puts hostile texts into each field that the page shows, opens each view, and watches that nothing of them is run, loaded or drawn as more than text.
import { base, close, expect, failures, open, wrong } from "./page.mjs";
import { long, short } from "./hostile.mjs";
import { fill } from "./filled.mjs";
import { follow } from "./talk.mjs";

// watch tells of all that a text could do: run a script, open a dialog, a frame or a page, ask another origin, break the policy.
async function watch(page) {
  const seen = [];
  const context = page.context();
  await context.exposeFunction("told", (text) => seen.push(text));
  await context.addInitScript(() => {
    window.ran = (n) => window.told(`ran ${n}`);
    document.addEventListener("securitypolicyviolation", (e) => window.told(`policy ${e.violatedDirective} ${e.blockedURI} ${e.sample}`));
  });
  await context.route((url) => /^http/.test(url.protocol) && url.origin !== base, (r) => r.abort());
  context.on("request", (r) => /^https?:/.test(r.url()) && new URL(r.url()).origin !== base && seen.push(`request ${r.url()}`));
  context.on("page", (p) => seen.push(`page ${p.url()}`));
  page.on("dialog", (d) => {
    seen.push(`dialog ${d.message()}`);
    void d.dismiss();
  });
  page.on("frameattached", (f) => seen.push(`frame ${f.url()}`));
  page.on("framenavigated", (f) => new URL(f.url()).origin !== base && seen.push(`navigation ${f.url()}`));
  await page.reload();
  await page.waitForSelector("main h1");
  return seen;
  await page.reload();
  await page.waitForSelector("main h1");
  return seen;
}

// foreign returns what in the document is none of the page's own: elements, handlers, addresses.
function foreign() {
  const never = new Set("iframe frame object embed base image img video audio source math style template marquee use animate foreignobject applet".split(" "));
  const out = [];
  for (const e of document.querySelectorAll("*")) {
    const name = e.localName.toLowerCase();
    const own = (at) => (e.getAttribute(at) ?? "").startsWith("/page/");
    if (never.has(name) || (name === "script" && !own("src")) || (name === "link" && !own("href")) || (name === "form" && e.hasAttribute("action"))) out.push(e.outerHTML.slice(0, 120));
    if (name === "meta" && e.httpEquiv) out.push(e.outerHTML);
    for (const a of e.attributes) {
      if (/^on/i.test(a.name) || (a.name === "style" && /url\(|expression/i.test(a.value)) || a.name === "srcdoc") out.push(`${name} ${a.name}=${a.value}`);
      if (/^(xlink:)?(href|src|action|formaction|data)$/i.test(a.name)) {
        const to = new URL(a.value, location.href);
        if (!["http:", "https:", "mailto:"].includes(to.protocol)) out.push(`${name} ${a.name}=${a.value}`);
        if (to.origin !== location.origin && !(name === "a" && e.closest(".markdown") && e.target === "_blank" && /noopener/.test(e.rel))) out.push(`${name} leads elsewhere: ${a.value}`);
      }
    }
  }
  return out;
}

// absent returns the texts that the document does not show. Spaces count as one.
function absent(texts) {
  const plain = (s) => s.replace(/\s+/g, " ").trim();
  const fields = [...document.querySelectorAll("input, textarea")].map((f) => f.value);
  const whole = plain([document.body.textContent, ...fields].join(" "));
  return texts.filter((x) => !whole.includes(plain(x)));
}

// turning returns texts that turn the words behind them around: marks of direction that nothing holds in.
function turning() {
  const out = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let at = texts.nextNode(); at; at = texts.nextNode()) {
    if (!/[\u202a-\u202e]/.test(at.data) || /\u202c$/.test(at.data)) continue;
    let box = at.parentElement;
    while (getComputedStyle(box).display.startsWith("inline") && !/isolate|plaintext/.test(getComputedStyle(box).unicodeBidi)) box = box.parentElement;
    const behind = box.textContent.slice(box.textContent.indexOf(at.data) + at.data.length).trim();
    if (behind && !/isolate|plaintext/.test(getComputedStyle(box).unicodeBidi)) out.push(box.outerHTML.slice(0, 100));
  }
  return out;
}

const quote = (s) => JSON.stringify(s.slice(0, 70));

function looker(page, seen) {
  const turned = new Map();
  let views = 0;
  const look = async (name, texts = [], wait = 4000) => {
    views++;
    let gone = await page.evaluate(absent, texts);
    for (const end = Date.now() + wait; gone.length && Date.now() < end; gone = await page.evaluate(absent, texts)) await page.waitForTimeout(50);
    if (gone.length) wrong(`${name}: ${gone.length} of ${texts.length} texts are not shown, as ${gone.slice(0, 3).map(quote).join(", ")}`);
    for (const what of (await page.evaluate(foreign)).slice(0, 3)) wrong(`${name}: not the page's own: ${what}`);
    for (const what of await page.evaluate(turning)) turned.set(name.split(" ")[0], what);
    for (const what of seen.splice(0)) wrong(`${name}: ${what}`);
    const wide = await page.evaluate(() => Math.max(document.documentElement.scrollWidth - innerWidth, ...[...document.querySelectorAll(".shell")].map((e) => e.scrollWidth - e.clientWidth)));
    if (wide > 0) wrong(`${name}: ${wide} px wider than the screen`);
  };
  look.count = () => views;
  look.turned = turned;
  return look;
}

// canary does each thing itself, to show that the watch would tell of it.
async function canary() {
  const page = await open("/inbox");
  page.removeAllListeners("console"); // what is forbidden is told there too
  const seen = await watch(page);
  const count = (await page.evaluate(foreign)).length;
  await page.evaluate(() => {
    window.ran(0);
    setTimeout(() => alert("canary"));
    document.head.append(Object.assign(document.createElement("script"), { textContent: "window.ran('inline')" }));
    document.body.append(Object.assign(document.createElement("iframe"), { srcdoc: "x" }));
    document.querySelector("main").insertAdjacentHTML("beforeend", "<a href='javascript:ran(1)' onmouseover='ran(2)'>x</a><img src='https://evil.example/x.png'><form action='/x'></form>");
    window.open("about:blank");
  });
  const found = (await page.evaluate(foreign)).length;
  const other = await page.context().newPage();
  await other.goto("about:blank");
  await other.evaluate(() => { new Image().src = "https://evil.example/canary.png"; });
  await page.evaluate(() => { location.href = "https://evil.example/"; });
  await page.waitForTimeout(500);
  for (const kind of ["ran 0", "dialog canary", "policy script-src", "policy img-src", "frame", "page", "request https://evil.example/canary", "request https://evil.example/"]) {
    expect(`canary: ${kind}`, seen.some((s) => s.startsWith(kind)));
  }
  expect("canary: an inline script is not run by the page's policy", !seen.includes("ran inline"));
  expect(`canary: ${found} parts are not the page's own, and ${count} before`, count === 0 && found >= 6);
  await page.context().close();
}

async function talks(page, look, all) {
  for (const [session, texts] of [["xss", all.said], ["tools", all.asked]]) {
    await follow(page, `/s/${session}?user=xss`);
    await page.waitForSelector(`#turn-${all.turns[session].at(-1).id}`);
    await page.evaluate(() => document.querySelectorAll(".said .button[aria-expanded=false]").forEach((b) => b.click()));
    await look(`chat ${session}`, texts, 20000);
    await page.evaluate(() => document.querySelectorAll(".thread details").forEach((d) => { d.open = true; }));
    const replies = await page.locator(".thread .reply").evaluateAll((found) => found.map((e) => e.textContent).join(" "));
    expect(`${session}: what is HTML in a reply is shown as text`, texts.join(" ").match(/ran\([1-4]?\d\)/g)?.every((call) => replies.includes(call)));
    await look(`chat ${session}, opened`);
    for (const turn of all.turns[session]) {
      await follow(page, `/s/${session}/t/${turn.id}?user=xss`);
      await page.waitForSelector(".inspector .part");
      await page.evaluate(() => document.querySelectorAll(".inspector details").forEach((d) => { d.open = true; }));
      await look(`inspector ${session} ${quote(turn.text)}`, [turn.text]);
    }
    await follow(page, `/s/${session}/timeline?user=xss`);
    await page.waitForSelector("[role=option]");
    await look(`timeline ${session}`);
    for (const turn of all.turns[session].filter((_, i) => i % 6 === 0)) {
      await follow(page, `/s/${session}/timeline?user=xss&turn=${encodeURIComponent(turn.id)}`);
      await page.waitForSelector(".fields-at details");
      await page.evaluate(() => document.querySelectorAll(".selected details").forEach((d) => { d.open = true; }));
      await look(`timeline ${session} ${quote(turn.text)}`, [turn.text]);
    }
  }
}

async function memory(page, look, all) {
  await follow(page, "/memory?user=xss&history=1");
  await page.waitForSelector(".record");
  for (const more = page.getByRole("button", { name: "Show more" }); await more.count(); await page.waitForTimeout(100)) await more.click().catch(() => {});
  await look("memory", all.records.map((r) => r.content));
  await follow(page, `/memory?user=xss&ask=${encodeURIComponent("<script>ran(1)</script> javascript onerror")}`);
  await page.waitForSelector(".funnel");
  await page.evaluate(() => document.querySelectorAll("main details").forEach((d) => { d.open = true; }));
  await look("recall");
  for (const r of all.records) {
    await follow(page, `/memory/${r.id}?user=xss`);
    await look(`record ${quote(r.content)}`, [r.content, r.subject]);
  }
  await follow(page, "/memory/retired?user=xss");
  await page.waitForSelector(".commit");
  await look("retired", all.retired.slice(0, 20), 10000);
}

async function affairs(page, look, all) {
  for (const a of all.affairs) {
    await follow(page, `/affairs/${a.id}?user=xss`);
    await look(`affair ${quote(a.title)}`, [a.title, a.summary ?? "", ...Object.entries(a.key_facts ?? {}).flat(), ...(a.topics ?? []), ...(a.pending_actions ?? [])]);
  }
}

async function graph(page, look) {
  await follow(page, "/brain?user=xss&n=200");
  await page.waitForSelector(".drawing canvas");
  await look("brain");
  for (const node of await page.locator(".nodes tbody button.link").all()) await node.click();
  const box = await page.locator(".drawing").boundingBox();
  const tips = new Set();
  for (let i = 0; i < 1200 && tips.size < 25; i++) {
    await page.mouse.move(box.x + box.width * ((i * 0.618) % 1), box.y + box.height * ((i * 0.7548) % 1));
    const tip = page.locator(".tip");
    if (await tip.count()) tips.add(await tip.innerText().catch(() => ""));
  }
  expect(`${tips.size} tooltips of the graph`, tips.size > 5);
  await look("brain, tooltips");
}

async function rest(page, look, all) {
  await follow(page, "/inbox?user=xss");
  await page.waitForSelector(".card.ask");
  await page.evaluate(() => document.querySelectorAll("main details").forEach((d) => { d.open = true; }));
  await look("inbox", [...all.questions, ...all.suggestions]);
  await look("names of sessions beside each page", all.titles);
  for (const edit of await page.locator(".card.ask button:has-text('Edit')").all()) await edit.click();
  await look("inbox, edited");
  await follow(page, "/settings?part=history&user=xss");
  await page.waitForSelector(".commit");
  await look("settings", all.whys);
  await follow(page, "/settings?part=keys&user=xss");
  await page.waitForSelector("tr");
  await look("access keys", all.notes);
  await follow(page, "/operation?user=xss");
  await page.waitForTimeout(1000);
  await look("operation");
}

// addresses opens addresses that have the texts in them: what is not found is told with its name.
async function addresses(page, look) {
  for (const text of short.filter((x) => x.length <= 120 && !/^\.+$/.test(x))) {
    const x = encodeURIComponent(text);
    for (const at of [`/memory/${x}`, `/affairs/${x}`, `/s/${x}`, `/memory?q=${x}&kind=${x}`, `/brain?layer=${x}&n=${x}&affair=${x}`, `/settings?part=${x}`, `/inbox?user=${x}`, `/memory/retired?days=${x}`, `/${x}`]) {
      await follow(page, at);
      await page.waitForTimeout(25);
    }
    await look(`addresses with ${quote(text)}`);
  }
}

const parts = { talks, memory, affairs, graph, rest, addresses };
try {
  await canary();
  const all = await fill("xss", short, long);
  const page = await open("/inbox?user=xss");
  const seen = await watch(page);
  const look = looker(page, seen);
  for (const [name, run] of Object.entries(parts)) {
    if (process.argv[2] && process.argv[2] !== name) continue;
    const began = Date.now();
    await run(page, look, all).catch((err) => wrong(`${name}: ${err.message.slice(0, 600)}`));
    console.log(`ok    ${name}: ${((Date.now() - began) / 1000).toFixed(0)} s`);
  }
  expect(`${look.turned.size} views where a text turns the words behind it around: ${[...look.turned].map((x) => x.join(": ")).slice(0, 8).join("; ")}`, look.turned.size === 0);
  expect(`${short.length + 1} texts in ${look.count()} views: nothing ran, was loaded or drawn`, failures === 0);
} catch (err) {
  console.error(err);
  process.exitCode = 1;
}
await close();
if (failures) process.exitCode = 1;
