// What happens with turns: branches, commands, questions, broken lines.
import { fresh, say, talk } from "./talk.mjs";

export async function branches({ open, look, expect }) {
  const user = fresh("branch");
  const page = await open("/", { user });
  await page.waitForSelector(".welcome");
  await talk(page);
  const first = page.url();
  await page.locator("article.turn").nth(1).locator(".said button[aria-label^='Edit']").click();
  await page.fill("article.turn form textarea", "Also, I must buy tickets to Vienna.");
  await page.click("article.turn form button[type=submit]");
  await page.waitForFunction((u) => location.href !== u, first);
  await page.waitForSelector("article.turn:nth-of-type(2):has-text('Vienna') .reply");
  expect("a branch begins with the turns before", (await page.locator("article.turn").count()) === 2 && (await page.locator("article.turn .said").first().innerText()).includes("brake pads"));
  await page.waitForSelector(".arrows");
  expect("it is branch 2 of 2", (await page.locator(".arrows").innerText()).includes("/2"));
  await look(page, "branch-1440");
  await page.click(".arrows button:not([disabled])");
  await page.waitForFunction((u) => location.href === u, first);
  await page.waitForSelector("article.turn:nth-of-type(3)");
  expect("the arrows lead back", (await page.locator("article.turn").count()) === 3);
  await page.click("article.turn:last-of-type button[aria-label='Try again']");
  await page.waitForFunction((u) => location.href !== u, first);
  await page.waitForSelector("article.turn:nth-of-type(3) .reply");
  expect("trying again is a branch too", true);
  await page.context().close();
}

export async function commands({ open, look, expect }) {
  const user = fresh("command");
  const page = await open("/", { user });
  await page.waitForSelector(".welcome");
  await talk(page);
  const first = page.url();
  await page.focus("main h1, .thread");
  await page.keyboard.press("/");
  await page.waitForSelector(".commands li");
  await look(page, "commands-1440");
  const run = async (line) => {
    await page.fill(".composer textarea", line);
    await page.keyboard.press("Enter");
  };
  await run("/rename Brakes and studies");
  await page.waitForSelector("h1:has-text('Brakes and studies')");
  await run("/affair Taxes");
  await page.waitForSelector(".beside .affair.active:has-text('Taxes')");
  await run("/undo");
  await page.waitForSelector(".toast:has-text('taken back')");
  await run("/cler");
  await page.waitForSelector(".toast:has-text('window is empty')");
  await run("/why");
  await page.waitForSelector(".inspector .part");
  await run("/end");
  await page.waitForSelector(".toast:has-text('Ended')");
  await run("/help");
  await page.waitForSelector("dialog .helplist");
  await look(page, "help-1440");
  await page.keyboard.press("Escape");
  await run("/nothing");
  await page.waitForSelector(".toast.bad:has-text('/nothing')");
  await run("/new");
  await page.waitForFunction((u) => !location.href.startsWith(u), first);
  expect("the commands work", true);

  // Clearing memory: a count first, a toast with the new session's id.
  await page.goto(first);
  await page.click(".head .menu > button");
  await page.click("[role=menuitem]:has-text('Clear session memory')");
  await page.waitForSelector("dialog strong");
  await look(page, "clear-session-1440");
  await page.click("dialog button[type=submit]");
  await page.waitForSelector(".toast:has-text('Session memory cleared')");
  const told = await page.locator(".toast:has-text('Session memory cleared')").innerText();
  expect("the toast has the new session's id", told.includes(decodeURIComponent(new URL(page.url()).pathname.slice(3))));
  await say(page, "Please remember that I am allergic to peanuts.");
  await page.click(".head .menu > button");
  await page.click("[role=menuitem]:has-text('Clear global memory')");
  expect("clearing all wants a word", await page.locator("dialog button[type=submit]").isDisabled());
  await page.fill("dialog input", "erase");
  await look(page, "clear-global-1440");
  await page.click("dialog button[type=submit]");
  await page.waitForSelector(".toast:has-text('Global memory cleared')");
  expect("global memory is cleared", true);
  await page.context().close();
}

async function askFirst(page, user) {
  await page.evaluate((name) => fetch("/api/v1/settings/user", {
    method: "PUT", headers: { "X-Mneme-Page": "1", "X-Mneme-User": name, "Content-Type": "application/json" }, body: JSON.stringify({ set: { autonomy: "1" } }),
  }), user);
  await page.waitForTimeout(3000); // settings are read again every second or two
}

// questions wants a service whose model calls memory_update: KEY and PAGE name it.
export async function questions({ open, look, expect }) {
  if (!process.env.ASKS) return console.log("skipped: ASKS says that the service's model asks to remember");
  const user = fresh("ask");
  let page = await open("/", { user });
  await page.waitForSelector(".welcome");
  await askFirst(page, user);
  await say(page, "What tea is there?");
  await page.waitForSelector(".card.ask");
  await look(page, "question-1440");
  const at = page.url();
  await page.reload();
  await page.waitForSelector(".card.ask");
  expect("a question survives a reload", true);

  // Another tab answers it; this one hears of it.
  const other = await page.context().newPage();
  await other.goto(at.replace(/\/s\/[^?]+/, "/inbox"));
  await other.waitForSelector(".card.ask");
  await look(other, "inbox-question-1440");
  await other.click(".card.ask button:has-text('Edit')");
  await other.fill(".card.ask textarea", '{"action":"remember","text":"I like black tea"');
  expect("broken JSON is not sent", await other.locator(".card.ask button.main").isDisabled());
  await other.fill(".card.ask textarea", '{"action":"remember","text":"I like black tea"}');
  await other.click(".card.ask button.main");
  await other.waitForSelector(".empty");
  await page.bringToFront();
  await page.waitForSelector("article.turn .reply table");
  expect("answered in another tab, seen here", (await page.locator(".card.ask").count()) === 0);
  expect("markdown: a table, a link, no script, raw HTML as text", (await page.locator(".reply a").count()) === 1 && (await page.locator(".reply").innerText()).includes("<b onclick"));
  await page.locator(".calls summary").click();
  expect("the step says how it was answered", (await page.locator(".calls").innerText()).includes("Approved as edited"));
  await look(page, "question-answered-1440");

  await say(page, "And what else?");
  await page.waitForSelector(".card.ask");
  await page.click(".card.ask button:has-text('Reject')");
  await page.fill(".card.ask input", "not now");
  await page.click(".card.ask button:has-text('Reject')");
  await page.waitForSelector("article.turn:last-of-type .reply");
  expect("rejected in the chat, with a reason", (await page.locator(".card.ask").count()) === 0);
  await page.context().close();
  page = await open(new URL(at).pathname, { width: 360, dark: true, language: "cs", user });
  await page.waitForSelector("article.turn");
  await look(page, "markdown-360-cs");
  await page.context().close();
}

export async function suggestions({ open, look, expect }) {
  const user = fresh("suggest");
  const page = await open("/", { user });
  await page.waitForSelector(".welcome");
  await askFirst(page, user);
  await say(page, "My sister Jana lives in Brno and I work at Acme as a designer.");
  await page.waitForSelector("nav .count");
  await page.click("nav a:has-text('Inbox')");
  await page.waitForSelector(".card.ask");
  await look(page, "suggestion-1440");
  await page.click(".card.ask button:has-text('Edit')");
  await page.fill(".card.ask textarea", "My sister Jana lives in Brno");
  await page.click(".card.ask button.main");
  await page.waitForSelector(".empty");
  expect("a suggestion is approved as edited", (await page.locator("details").last().innerText()).length > 0);
  await look(page, "inbox-done-1440");
  await page.context().close();
}

// lines breaks the line of a stream, and stops a turn. SLOW says that the service's model takes its time.
export async function lines({ open, look, expect }) {
  const user = fresh("line");
  const page = await open("/", { user });
  await page.waitForSelector(".welcome");
  let broken = 0;
  const seen = [];
  await page.route("**/api/v1/turns", async (route) => {
    const last = route.request().headers()["last-event-id"];
    seen.push(last);
    if (broken++ > 0) return route.continue();
    const answer = await route.fetch();
    const body = await answer.text();
    await route.fulfill({ response: answer, body: body.split("\n\n").slice(0, 12).join("\n\n") + "\n\n" });
  });
  await say(page, "I ordered brake pads on eBay, order number 07-14244-53150, they should arrive on Friday.");
  expect("a broken line is taken up behind the last event", seen.length === 2 && /:12$/.test(seen[1] ?? ""));
  expect("and nothing is said twice", (await page.locator("article.turn .reply").innerText()) === "Noted: “Brake pads on eBay”.");
  await page.unroute("**/api/v1/turns");

  // Files: a text is sent as text.
  await page.setInputFiles("input[type=file]", { name: "note.txt", mimeType: "text/plain", buffer: Buffer.from("The car is red.") });
  await page.waitForSelector(".files .chip");
  await look(page, "file-1440");
  await say(page, "Read the attached note.");
  expect("a file is shown with its message", (await page.locator("article.turn:last-of-type .file").innerText()).includes("note.txt"));
  await page.reload();
  await page.waitForSelector("article.turn:last-of-type .file");
  expect("and after a reload", true);

  // A file alone is sent as it is, and a long message is folded.
  await page.setInputFiles("input[type=file]", { name: "bill.txt", mimeType: "text/plain", buffer: Buffer.from("42 euro") });
  await page.waitForSelector(".files .chip");
  const count = await page.locator("article.turn").count();
  await page.click(".composer button[type=submit]");
  await page.waitForFunction((n) => document.querySelectorAll("article.turn .reply").length > n, count);
  expect("a file can be sent alone", (await page.locator("article.turn:last-of-type .said").innerText()).includes("Here is a file: bill.txt"));
  await say(page, Array.from({ length: 60 }, (_, i) => `Line ${i} of a list that somebody pasted.`).join("\n"));
  const long = page.locator("article.turn:last-of-type .said");
  expect("a long message is folded", !(await long.innerText()).includes("Line 59"));
  await long.getByRole("button", { name: /Show the whole message/ }).click();
  expect("and opened", (await long.innerText()).includes("Line 59"));
  await look(page, "long-message");

  // Two tabs: the one that says something while the other waits is told, in its language.
  await page.route("**/api/v1/turns", (route) => route.fulfill({ status: 409, contentType: "application/problem+json", body: JSON.stringify({ type: "urn:mneme:error:conflict", title: "Conflict", status: 409, code: "conflict", detail: "session x: is busy with another turn; wait for its reply and send again" }) }));
  await page.fill(".composer textarea", "Thanks!");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".failed:has-text('busy with another message')");
  expect("a busy conversation is told in plain words", !(await page.locator(".failed").innerText()).includes("session x"));
  await page.unroute("**/api/v1/turns");
  await page.reload();
  await page.waitForSelector("article.turn:last-of-type .reply");

  // A request that is refused is told, and tried again under the same id.
  const ids = [];
  await page.route("**/api/v1/turns", async (route) => {
    ids.push(route.request().postDataJSON().message_id);
    if (ids.length > 1) return route.continue();
    await route.fulfill({ status: 503, contentType: "application/problem+json", body: JSON.stringify({ type: "urn:mneme:error:unavailable", title: "Service Unavailable", status: 503, code: "unavailable", detail: "the store cannot be reached", request_id: "abcdef0123456789" }) });
  });
  await page.fill(".composer textarea", "Thanks!");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".failed");
  await look(page, "failed-1440");
  await page.click(".failed button");
  await page.waitForSelector("article.turn:last-of-type .reply");
  expect("tried again under the same id", ids.length === 2 && ids[0] === ids[1] && (await page.locator(".failed").count()) === 0);
  await page.context().close();
}

// stop wants a service whose model takes its time: SLOW says so.
export async function stop({ open, look, expect }) {
  if (!process.env.SLOW) return console.log("skipped: SLOW says that the service's model takes its time");
  const user = fresh("stop");
  const page = await open("/", { user });
  await page.waitForSelector(".welcome");
  await page.fill(".composer textarea", "Tell me a long story about the sea.");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".reply:has-text('word3')");
  await look(page, "streaming-1440");
  expect("sentences are read aloud", (await page.locator("[aria-live=polite] p").count()) >= 2);
  await page.reload();
  await page.waitForSelector(".reply:has-text('word6')");
  expect("after a reload the turn streams on", (await page.locator(".reply").innerText()).startsWith("word0"));
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.waitForSelector(".reply:has-text('word9')");
  expect("another tab follows it too", true);
  await page.bringToFront();
  await page.focus(".composer textarea");
  await page.keyboard.press("Escape");
  await page.waitForSelector("text=The reply was stopped");
  expect("Esc stops it, what was said stays", (await page.locator(".reply").innerText()).includes("word3"));
  await look(page, "stopped-1440");
  await page.context().close();
}
