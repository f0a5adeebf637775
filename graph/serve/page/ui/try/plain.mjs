// What somebody who sees the page for the first time must not lose, miss or wonder at.
import { key } from "./page.mjs";
import { fresh, say, talk } from "./talk.mjs";

const last = "article.turn:last-of-type";

// drafts: what is half written stays in its session, and is nobody else's.
export async function drafts({ open, base, expect }) {
  const user = fresh("draft");
  const page = await open("/s/one", { user });
  const written = () => page.inputValue(".composer textarea");
  const at = (session, whose = user) => page.goto(`${base}/s/${session}?user=${whose}`).then(() => page.waitForSelector(".composer textarea"));
  await page.fill(".composer textarea", "Half a thought");
  await page.reload();
  await page.waitForSelector(".composer textarea");
  expect("a draft survives a reload", (await written()) === "Half a thought");
  await page.evaluate((to) => { history.pushState(null, "", to); dispatchEvent(new PopStateEvent("popstate")); }, `/s/two?user=${user}`);
  await page.waitForFunction(() => document.querySelector(".composer textarea")?.value === "");
  expect("another session has none of it", (await written()) === "");
  await page.fill(".composer textarea", "Of the second");
  await page.evaluate((to) => { history.pushState(null, "", to); dispatchEvent(new PopStateEvent("popstate")); }, `/s/one?user=${user}`);
  await page.waitForFunction(() => document.querySelector(".composer textarea")?.value === "Half a thought");
  expect("and the first still has its own", true);
  await at("one", `${user}-other`);
  expect("another user does not see it", (await written()) === "");
  await at("one");
  await say(page, "I live in Brno.");
  await page.reload();
  await page.waitForSelector(".composer textarea");
  expect("what was sent is no draft any more", (await written()) === "");
  await page.fill(".composer textarea", "A secret");
  await page.click(".side .more summary");
  await page.click(".side button:has-text('Sign out')");
  await page.waitForSelector(".signin");
  expect("after signing out the browser keeps no word of it", await page.evaluate(() => !JSON.stringify(localStorage).includes("A secret")));
  await page.fill(".signin input", key);
  await page.keyboard.press("Enter");
  await page.waitForSelector(".composer textarea");
  expect("and whoever signs in finds none", (await written()) === "");
  await page.fill(".composer textarea", "Another secret");
  await page.context().clearCookies();
  await page.reload();
  await page.waitForSelector(".signin");
  expect("nor when the sign-in has run out", await page.evaluate(() => !JSON.stringify(localStorage).includes("Another secret")));
  await page.context().close();
}

// learnt: what is kept is told in its own words, with what it was before and where it is.
export async function learnt({ open, look, expect }) {
  const user = fresh("learnt");
  let page = await open("/", { user });
  await page.waitForSelector(".welcome");
  await talk(page);
  const writes = page.locator("#part-writes > .lines");
  await page.locator("article.turn").nth(1).locator("a:has-text('What will it remember?')").click();
  await writes.locator("li.learnt:has-text('I live in Brno')").waitFor();
  expect("what is about the user says so", (await writes.locator("li.learnt:has-text('I live in Brno')").innerText()).includes("about you, in every conversation"));
  await page.click("#part-writes summary:has-text('taken back')");
  const parts = await page.locator("#part-writes details[open]").first().innerText();
  expect("each change that can be taken back says what it is", parts.includes("I live in Brno") && parts.includes("Application to Unicorn University: affair opened") && parts.includes("Brake pads on eBay: parked"));
  await page.click("#part-writes summary:has-text('taken back')");
  const todo = writes.locator("li.learnt:has-text('30 March')").first();
  expect("what is of the affair names it", (await todo.innerText()).includes("in this affair: “Application to Unicorn University”"));
  expect("no figure stands for the words", !(await page.locator("#part-writes").innerText()).includes("key facts"));

  // A correction of another affair and one of the user himself.
  await say(page, "By the way, the order number of the brake pads is 07-99999-1, not 07-14244-53150.");
  const right = page.locator(`${last} .put-right`);
  await right.waitFor();
  const told = await right.innerText();
  expect(`a correction stands at its reply: ${told.replace(/\s+/g, " ")}`, told.includes("07-14244-53150") && told.includes("07-99999-1") && told.includes("in the affair “Brake pads on eBay”"));
  expect("with the value before struck out", (await right.locator("del").innerText()) === "07-14244-53150" && (await right.locator("ins").innerText()) === "07-99999-1");
  expect("and heard as before and now", /before:.*07-14244-53150.*now:.*07-99999-1/s.test(await right.textContent()));
  await look(page, "put-right-1440");
  await right.locator("a").click();
  await page.waitForSelector(".affair-page h1:has-text('Brake pads')");
  expect("its place leads to where it went", true);
  await page.goBack();
  await say(page, "I moved, I live in Prague now, not in Brno.");
  await page.locator(`${last} .reply`).scrollIntoViewIfNeeded(); // what is not seen has no account
  await page.locator(`${last} .put-right:has-text('Prague')`).waitFor();
  expect("a correction of the user's own data too", /Brno[\s\S]*Prague[\s\S]*about you/.test(await page.locator(`${last} .put-right`).innerText()));
  await page.click(`${last} a:has-text('What will it remember?')`);
  await writes.locator("del:has-text('Brno')").waitFor();
  expect("it is told once", (await writes.locator("li:has-text('Brno')").count()) === 1);
  await look(page, "learnt-1440");
  await page.locator("article.turn").nth(1).locator("a:has-text('What will it remember?')").click();
  await page.reload();
  await writes.locator("li.learnt:has-text('Brno') :text('no longer holds')").waitFor();
  expect("what holds no longer says so", true);
  const at = new URL(page.url());
  await page.route("**/api/v1/sessions/*/turns/*", async (route) => {
    const answer = await route.fetch();
    const json = await answer.json();
    json.decision.confidence = 0.4;
    await route.fulfill({ response: answer, json });
  });
  await page.reload();
  await page.locator("article.turn").nth(1).locator(".put-right:has-text('30 March')").waitFor();
  expect("where it was not sure which affair is meant, the reply has all that was kept", true);
  await page.context().close();
  const says = { cs: ["o vás, ve všech rozhovorech", "zapamatováno"], pl: ["o Tobie, w każdej rozmowie", "zapamiętane"], ru: ["о вас, во всех разговорах", "запомнено"] };
  for (const [language, words] of Object.entries(says)) {
    page = await open(at.pathname, { language, user, width: language === "ru" ? 360 : 1440 });
    await page.waitForSelector("#part-writes li.learnt");
    const text = await page.locator("#part-writes").innerText();
    expect(`what is remembered is told in ${language}`, words.every((w) => text.includes(w)));
    await page.locator("#part-writes").scrollIntoViewIfNeeded();
    await look(page, `learnt-${language}`);
    await page.context().close();
  }
}

// quotes: a quote of memory leads to where it comes from.
export async function quotes({ open, look, expect }) {
  const user = fresh("quote");
  const page = await open("/", { user });
  await page.waitForSelector(".welcome");
  await say(page, "The spare key lies under the blue flower pot.");
  await say(page, "Remember that I drink oolong tea.");
  await page.waitForSelector(`${last} .reply a.quote`);
  expect("what it says to remember leads to its record", (await page.locator(`${last} .reply a.quote`).getAttribute("href")).startsWith("/memory/"));
  await say(page, "Where is the spare key?");
  const quote = page.locator(`${last} .reply a.quote`);
  await quote.waitFor();
  expect("a quote has its words as its name, and says where they are from", /spare key lies under.*\(from message 1\)/.test(await quote.textContent()));
  await look(page, "quote-1440");
  await quote.focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector("article.turn.open .said:has-text('blue flower pot')");
  expect("the keyboard follows it to the message", true);
  await page.click(".inspector .back a");
  await page.waitForSelector("article.turn.open .said:has-text('Where is the spare key')");
  expect("and there is a way back", true);
  await page.context().close();
}

// family: a branch has a name, and stays in the list under what it came from.
export async function family({ open, look, expect }) {
  const user = fresh("family");
  let page = await open("/", { user });
  await page.waitForSelector(".welcome");
  await talk(page);
  const first = page.url();
  const name = await page.locator("main h1").innerText();
  const before = async (nth) => {
    await page.locator("article.turn").nth(nth).locator("button:has-text('Go back to before this')").click();
    await page.click("dialog button[type=submit]");
    await page.waitForFunction((u) => !location.href.startsWith(u), first);
  };
  await before(2);
  await page.waitForSelector(`main h1:has-text('Branch 2: ${name}')`);
  expect("a branch has a name made of the old one", true);
  const branch = page.url();
  await page.goto(first);
  await page.waitForSelector(`.side .branches a:has-text('Branch 2: ${name}')`);
  expect("it stays in the list, under what it came from", (await page.locator(".side .sessions > ul > li").count()) === 1);
  expect("and the list says whose branches they are", (await page.locator(".side .branches").first().getAttribute("aria-label")).includes(name));
  await page.waitForSelector("article.turn");
  await before(0);
  await page.waitForSelector(".welcome");
  await say(page, "Let's talk about the garden instead.");
  await page.waitForSelector(`main h1:has-text('Branch 3: ${name}')`);
  expect("one that begins with nothing is named when something is said", true);
  await look(page, "family-1440");
  await page.context().close();
  page = await open(new URL(branch).pathname, { language: "cs", user, width: 360 });
  await page.waitForSelector("article.turn");
  await page.locator(".turn button:has-text('Vrátit se před tuto zprávu')").nth(1).click();
  await page.click("dialog button[type=submit]");
  await page.waitForFunction((u) => !location.href.startsWith(u), branch);
  await page.click("[aria-label='Nabídka']");
  await page.waitForSelector(`dialog .branches a:has-text('Větev 2: Branch 2: ${name}')`);
  expect("in the language of the page", true);
  await look(page, "family-360-cs");
  await page.context().close();
}

// undoing says beforehand which affair is active afterwards, and is right.
export async function undoing({ open, base, look, expect }) {
  const user = fresh("undoing");
  const page = await open("/", { user });
  await page.waitForSelector(".welcome");
  await talk(page);
  await say(page, "Back to the brake pads: they come by courier.");
  await page.waitForSelector(".beside .affair.active:has-text('Brake pads')");
  await say(page, "Remember that the garage opens at eight.");
  await page.locator("article.turn", { hasText: "by courier" }).locator("button:has-text('Undo it')").click();
  const says = page.locator("dialog strong", { hasText: "active affair" });
  await says.waitFor();
  expect(`the dialog says which affair is active then: ${await says.innerText()}`, /“Application to Unicorn University” is the active affair again then, instead of “Brake pads on eBay”/.test(await says.innerText()));
  await look(page, "undoing-1440");
  await page.click("dialog button[type=submit]");
  await page.waitForSelector(".toast:has-text('taken back')");
  await page.waitForSelector(".beside .affair.active:has-text('Application')");
  expect("and so it is", true);
  await page.locator("article.turn", { hasText: "when do the brake pads" }).locator("button:has-text('Undo it')").click();
  await page.waitForSelector("dialog:has-text('as it was before')");
  await page.waitForTimeout(500);
  expect("nothing is said where nothing is switched", (await page.locator("dialog strong").count()) === 0);
  await page.keyboard.press("Escape");

  // Going back says what becomes of memory, and takes it back where that is wanted.
  await page.locator("article.turn", { hasText: "garage opens" }).locator("button:has-text('Go back to before this')").click();
  await page.waitForSelector("dialog li.learnt:has-text('garage opens at eight')");
  expect("going back says that memory stays", (await page.locator("dialog").innerText()).includes("stays known, in the new conversation too"));
  await page.check("dialog input[type=checkbox]");
  await look(page, "before-memory-1440");
  await page.click("dialog button[type=submit]");
  await page.waitForSelector(".toast:has-text('is taken back')");
  await page.click(".side nav a:has-text('Memory') >> nth=0");
  await page.waitForSelector("main.memory .record");
  const kept = await page.locator("main.memory").innerText();
  expect("what was learnt since is out of memory, what was before is not", !kept.includes("garage") && kept.includes("I live in Brno"));

  // What began an affair takes it along.
  await page.goto(`${base}/s/other?user=${user}`);
  await page.waitForSelector(".welcome");
  await say(page, "Let's plan the trip to Porto on 5 May, the hotel costs 240 euro.");
  await page.waitForSelector(".beside .affair.active:has-text('Porto')");
  await page.click(`${last} button:has-text('Undo it')`);
  await page.waitForSelector("dialog strong");
  const goes = await page.locator("dialog").innerText();
  expect("undoing what began an affair says that it goes, and that none is active then", /The affair “Trip to Porto”, which began with it, goes too/.test(goes) && /No affair is active then; now it is “Trip to Porto”/.test(goes));
  await page.click("dialog button[type=submit]");
  await page.waitForSelector(".beside .affair:has-text('Porto')", { state: "detached" });
  expect("and so they are", (await page.locator(".beside .affair.active").count()) === 0);
  await page.context().close();
}

// covered returns what can be pressed and is in sight, but lies under something else.
function covered() {
  const out = [];
  for (const e of document.querySelectorAll("a[href], button, input, textarea, select, summary")) {
    const box = e.getBoundingClientRect();
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
    if (!box.width || !e.checkVisibility({ visibilityProperty: true }) || x < 0 || y < 0 || x >= innerWidth || y >= innerHeight || e.closest(".skip, .hidden")) continue;
    let clipped = false; // scrolled out of sight in a box of its own
    for (let up = e.parentElement; up; up = up.parentElement) {
      const at = up.getBoundingClientRect();
      if (getComputedStyle(up).overflowY !== "visible" && (y < at.top || y > at.bottom || x < at.left || x > at.right)) clipped = true;
    }
    const top = document.elementFromPoint(x, y);
    if (!clipped && top?.closest(".toasts") && !e.closest(".toasts")) out.push(e.outerHTML.slice(0, 90));
  }
  return out;
}

// notices cover nothing that can be pressed, wherever they are told.
export async function notices({ open, look, expect }) {
  const user = fresh("notice");
  for (const [width, height] of [[1440, 900], [1024, 700], [360, 640]]) {
    const page = await open("/", { width, height, user });
    await page.waitForSelector(".composer");
    if (width === 1440) await talk(page);
    await page.waitForSelector("article.turn");
    for (const at of ["", "/memory", "/settings"]) {
      if (at) await page.evaluate(([to]) => { history.pushState(null, "", to); dispatchEvent(new PopStateEvent("popstate")); }, [`${at}?user=${user}`]);
      await page.waitForSelector(at ? "main h1" : "article.turn");
      await page.waitForTimeout(300);
      for (let n = 0; n < 3; n++) {
        await page.evaluate(() => document.querySelector(".shell").scrollTo(0, 1e6));
        await page.evaluate(() => navigator.clipboard.writeText("x"));
        const copy = page.locator(at ? "main .id:visible" : "article.turn [aria-label='Copy the reply']:visible").first();
        if (await copy.count()) await copy.evaluate((e) => e.click());
      }
      if (at === "") await page.waitForSelector(".toast");
      const under = await page.evaluate(covered);
      expect(`${width} ${at || "chat"}: ${await page.locator(".toast").count()} notices cover nothing${under.length ? `, but: ${under.join(" ")}` : ""}`, under.length === 0);
      if (at === "") await look(page, `notices-${width}`);
    }
    await page.context().close();
  }
}
