// Opens the page in a browser, takes pictures and has axe look at it. PAGE=http://127.0.0.1:8499 KEY=... node try/run.mjs [NAME ...]
import { readFile, mkdir } from "node:fs/promises";
import { chromium } from "playwright-core";

export const base = process.env.PAGE ?? "http://127.0.0.1:8499";
export const key = process.env.KEY ?? "k-dev-1234567890";
const pictures = process.env.PICTURES ?? "/tmp/mneme-page";
const axe = await readFile(new URL("../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
await mkdir(pictures, { recursive: true });

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-dev-shm-usage"] });
export const close = () => browser.close();
export let failures = 0;

// pictureAll keeps what is open after a try that failed.
export async function pictureAll(name) {
  const pages = browser.contexts().flatMap((c) => c.pages());
  await Promise.all(pages.map((p, i) => p.screenshot({ path: `${pictures}/failed-${name}-${i}.png` })));
  for (const c of browser.contexts()) await c.close();
}

// open signs in at an address. Errors of the page are told.
export async function open(at, { width = 1440, height = 900, dark = false, language = "en", user = "" } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? "dark" : "light", locale: language, reducedMotion: "reduce", permissions: ["clipboard-write", "clipboard-read"] });
  const page = await context.newPage();
  page.on("pageerror", (e) => wrong(`page error: ${e.message}`));
  page.on("console", (m) => m.type() === "error" && !/40[1349]|412|422|503/.test(m.text()) && wrong(`console: ${m.text()}`));
  await page.goto(`${base}${at}${user ? `?user=${user}` : ""}#key=${key}`);
  await page.waitForSelector(":is(main h1, main .thread, main form, .inspector):visible");
  return page;
}

export function wrong(text) {
  failures++;
  console.error(`WRONG ${text}`);
}

export function expect(what, ok) {
  if (ok) console.log(`ok    ${what}`);
  else wrong(what);
}

// look takes a picture and asks axe. It also tells of anything that is wider than the screen.
export async function look(page, name) {
  await page.waitForTimeout(150);
  await page.screenshot({ path: `${pictures}/${name}.png` });
  const wide = await page.evaluate(() => Math.max(document.documentElement.scrollWidth - innerWidth, ...[...document.querySelectorAll(".shell")].map((e) => e.scrollWidth - e.clientWidth)));
  if (wide > 0) wrong(`${name}: ${wide} px wider than the screen`);
  await page.evaluate(axe).catch(async () => { await page.evaluate((s) => (0, eval)(s), axe); });
  const found = await page.evaluate(() => axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
  for (const v of found.violations) wrong(`${name}: axe ${v.id}: ${v.nodes.slice(0, 3).map((n) => `${n.html.slice(0, 140)} ${n.any[0]?.message ?? ""}`).join(" | ")}`);
  console.log(`look  ${name}: axe ${found.violations.length}`);
}
