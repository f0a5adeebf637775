// A past of 10,000 turns and 5,000 records: what is loaded first, how long answers take, and how long frames do while scrolling. Ceilings are generous; the
// log has the figures.
import { gzipSync } from "node:zlib";
import { base, close, expect, failures, key, open, wrong } from "./page.mjs";

const goal = { frame: 50, ready: 1000, answer: 300, bytes: 150_000 };
const loose = 4;

// answers notes how long each request of the page took, without the time that it waited in the browser.
function answers(page) {
  const slow = new Map();
  page.on("requestfinished", (r) => {
    const time = r.timing();
    const ms = time.responseEnd - Math.max(0, time.requestStart);
    const what = `${r.method()} ${new URL(r.url()).pathname}${new URL(r.url()).search}`.replace(/cursor=[^&]*/, "cursor=...").replace(/before=\d+/, "before=...");
    if (ms > goal.answer && r.url().includes("/api/")) slow.set(what, Math.max(ms, slow.get(what) ?? 0));
  });
  return slow;
}

// first opens / as one who is signed in does, and tells what that took.
async function first(page) {
  const names = new Set();
  const note = (r) => new URL(r.url()).origin === base && !r.url().includes("/api/") && names.add(r.url());
  page.on("request", note);
  await page.goto("about:blank");
  await (await page.context().newCDPSession(page)).send("Network.clearBrowserCache");
  const began = Date.now();
  await page.goto(`${base}/`);
  await page.waitForSelector(".composer textarea");
  const ready = Date.now() - began;
  page.off("request", note);
  let [packed, plain, sent] = [0, 0, 0];
  for (const name of names) {
    const answer = await fetch(name, { headers: { Accept: "text/html,*/*", "Accept-Encoding": "gzip" } });
    const body = Buffer.from(await answer.arrayBuffer());
    plain += body.length;
    packed += gzipSync(body, { level: 9 }).length;
    sent += Number(answer.headers.get("content-length") ?? 0) || body.length;
  }
  expect(`first load: ${names.size} files, ${packed} bytes packed (goal ${goal.bytes}), ${plain} plain, ${sent} sent`, packed <= goal.bytes);
  expect(`a message can be written after ${ready} ms (goal ${goal.ready})`, ready <= goal.ready * loose);
}

// scroll moves a box, or the window, and returns how long its frames took, the longest first.
function scroll(page, box, by, frames = 150) {
  return page.evaluate(async ([at, step, n]) => {
    const moved = at ? document.querySelector(at) : document.scrollingElement;
    const out = [];
    for (let i = 0, last = performance.now(); i < n; i++) {
      moved.scrollTop += step;
      await new Promise(requestAnimationFrame);
      const now = performance.now();
      out.push(now - last);
      last = now;
    }
    return out.sort((a, b) => b - a);
  }, [box, by, frames]);
}

async function frames(page, name, box, by) {
  const took = await scroll(page, box, by);
  expect(`${name}: the longest frame while scrolling took ${took[0].toFixed(0)} ms, the 5th ${took[4].toFixed(0)} (goal ${goal.frame})`, took[0] <= goal.frame * loose);
}

async function timed(name, most, what) {
  const began = Date.now();
  await what();
  const took = Date.now() - began;
  expect(`${name}: ${took} ms (goal ${most})`, took <= most * loose);
}

// blocked returns how long the longest task was since it was asked last.
async function blocked(page, name, most) {
  const longest = await page.evaluate(() => Math.max(0, ...window.tasks.splice(0)));
  expect(`${name}: the longest task took ${longest.toFixed(0)} ms (goal ${most})`, longest <= most * loose);
}

async function chat(page) {
  await timed("chat: the last turn is shown", 1000, async () => {
    await page.goto(`${base}/s/long`);
    await page.waitForSelector("article.turn:last-of-type .reply", { timeout: 120000 });
  });
  await page.waitForTimeout(1000);
  await blocked(page, "chat: loading", 200);
  console.log(`look  chat: ${await page.locator("article.turn").count()} turns and ${await page.evaluate(() => document.querySelectorAll("*").length)} elements are in the document`);
  await frames(page, "chat", ".thread", -700);
  await timed("chat: ten letters are written", 500, () => page.locator(".composer textarea").pressSequentially("Parcel 999"));
  await page.locator(".composer textarea").fill("When does parcel 77 leave?");
  await timed("chat: a turn is said", 3000, async () => {
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => !document.querySelector(".composer .danger") && [...document.querySelectorAll("article.turn")].at(-1)?.querySelector(".reply") && document.body.innerText.includes("parcel 77 leave?"), undefined, { timeout: 120000 });
  });
  await page.waitForTimeout(1500);
  await blocked(page, "chat: a turn", 200);
}

async function timeline(page) {
  await timed("timeline: all turns are there", 5000, async () => {
    await page.goto(`${base}/s/long/timeline`);
    await page.waitForFunction(() => Number(document.querySelector("[role=option]")?.getAttribute("aria-setsize")) >= 10000, undefined, { timeout: 120000 });
  });
  await blocked(page, "timeline: loading", 100);
  await frames(page, "timeline", ".rows", 4000);
}

async function memory(page) {
  await timed("memory: the first records are shown", 1000, async () => {
    await page.goto(`${base}/memory`);
    await page.waitForSelector(".record");
  });
  for (let i = 0; i < 20; i++) {
    const before = await page.locator(".record").count();
    await page.getByRole("button", { name: "Show more" }).click();
    await page.waitForFunction((n) => document.querySelectorAll(".record").length > n, before);
  }
  await frames(page, `memory, ${await page.locator(".record").count()} records`, null, 900);
  await timed("memory: a question is answered", 1000, async () => {
    await page.goto(`${base}/memory?ask=${encodeURIComponent("Where does parcel 4711 go?")}`);
    await page.waitForSelector(".funnel");
  });
}

async function brain(page) {
  await timed("graph: 200 nodes are drawn", 2000, async () => {
    await page.goto(`${base}/brain?n=200`);
    await page.waitForSelector(".drawing canvas");
  });
  console.log(`look  graph: ${await page.locator(".nodes tbody tr").count()} nodes`);
  await blocked(page, "graph: laying out", 500);
  const box = await page.locator(".drawing").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  for (let i = 0; i < 8; i++) await page.mouse.wheel(0, i % 2 ? 200 : -200);
  await page.mouse.down();
  await page.mouse.move(box.x + 50, box.y + 50, { steps: 20 });
  await page.mouse.up();
  await blocked(page, "graph: moving", 50);
}

// straight asks the service itself, without a browser. A turn that was taken in has no account: that is 404.
async function straight() {
  for (const path of ["/sessions?limit=100", "/affairs?limit=500", "/questions", "/suggestions?limit=100", "/sessions/long/messages?limit=500", "/sessions/long/messages?limit=200&order=desc", "/sessions/long/turns/turn-9748", "/sessions/long/turns/turn-20", "/sessions/long/history?limit=500", "/records?limit=50", "/records?limit=50&q=parcel", "/memory/graph?limit=200", "/audit?limit=1000", "/tasks?limit=200", "/brain", "/sessions/long/export"]) {
    const began = performance.now();
    const answer = await fetch(`${base}/api/v1${path}`, { headers: { Authorization: `Bearer ${key}` } });
    const size = (await answer.arrayBuffer()).byteLength;
    const took = performance.now() - began;
    expect(`GET ${path}: ${took.toFixed(0)} ms, ${size} bytes${took > goal.answer ? ": slow" : ""}`, (answer.ok || path.includes("/turns/")) && took <= goal.answer * loose * 2);
  }
}

try {
  await straight();
  const page = await open("/inbox");
  const slow = answers(page);
  await page.context().addInitScript(() => {
    window.tasks = [];
    new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map((e) => e.duration))).observe({ type: "longtask", buffered: true });
  });
  for (const step of [timeline, memory, brain, first, chat]) {
    await step(page).catch((err) => wrong(`${step.name}: ${err.message.slice(0, 300)}`));
  }
  console.log(`look  ${slow.size} requests of the page took more than ${goal.answer} ms`);
  for (const [what, ms] of [...slow].sort((a, b) => b[1] - a[1]).slice(0, 10)) console.log(`look  slow: ${what}: ${ms.toFixed(0)} ms`);
} catch (err) {
  console.error(err);
  process.exitCode = 1;
}
await close();
if (failures) process.exitCode = 1;
