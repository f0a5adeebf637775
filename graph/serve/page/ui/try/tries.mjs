// What a person does with the page.
import { follow, fresh, talk } from "./talk.mjs";

export async function shell({ open, look, expect }) {
  for (const width of [360, 1440]) {
    for (const dark of [false, true]) {
      const page = await open("/inbox", { width, dark });
      expect("the key is not in the address", !page.url().includes("key"));
      await look(page, `inbox-${width}${dark ? "-dark" : ""}`);
      await page.context().close();
    }
  }
}

export async function chat({ open, look, expect }) {
  const user = fresh("chat");
  let page = await open("/", { user });
  await page.waitForSelector(".welcome");
  await look(page, "chat-empty-1440");
  await talk(page);
  expect("three turns with replies", (await page.locator("article.turn .reply").count()) === 3);
  expect("the chip of the last turn is an aside", (await page.locator("article.turn:last-of-type .decision").innerText()).includes("A question aside"));
  expect("one affair active, one parked", (await page.locator(".beside .affair.active").count()) === 1 && (await page.locator(".beside .affair.parked").count()) === 1);
  await look(page, "chat-1440");

  // After a reload the chips are there again.
  await page.reload();
  await page.waitForSelector("article.turn:last-of-type .kind-AD_HOC");
  expect("chips survive a reload", (await page.locator(".decision .chip[class*=kind-]").count()) === 3);

  // That was wrong: to a new affair, and back.
  await page.click("article.turn:last-of-type button:has-text('This is about something else')");
  await page.click("dialog label:has-text('A new affair')");
  await page.fill("dialog input[type=text]", "Repair of the car");
  await look(page, "move-1440");
  await page.click("dialog button[type=submit]");
  await page.waitForSelector(".beside .affair.active:has-text('Repair of the car')");
  await page.click(".toast button:has-text('Undo')");
  await page.waitForSelector(".beside .affair.active:has-text('Unicorn')");
  expect("putting elsewhere is undone", (await page.locator(".affair:has-text('Repair')").count()) === 0);

  // Dragging a turn to an affair.
  await page.dragAndDrop("article.turn:last-of-type .said", ".beside .affair.active");
  await page.waitForSelector(".toast:has-text('Put under')");
  expect("a turn is dropped on an affair", true);

  // Affairs: menu by keyboard, rename, resolve.
  await page.focus(".beside .affair.parked .menu > button");
  await page.keyboard.press("Enter");
  await page.waitForSelector("[role=menu]");
  await look(page, "affair-menu-1440");
  await page.keyboard.press("Enter");
  await page.fill("dialog input", "Brake pads");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".beside .affair.parked:has-text('Brake pads'):not(:has-text('eBay'))");
  await page.click(".beside .affair.parked .menu > button");
  await page.click("[role=menuitem]:has-text('resolved')");
  await page.waitForSelector(".beside .affair.resolved:has-text('Brake pads')");
  await page.click(".toast:has-text('resolved') button:has-text('Undo')");
  await page.waitForSelector(".beside .affair.parked:has-text('Brake pads')");
  expect("renamed, resolved and undone", true);
  await page.context().close();

  for (const [width, dark, language] of [[360, false, "cs"], [360, true, "ru"], [1024, true, "pl"]]) {
    page = await open("/", { width, height: 740, dark, language, user });
    await page.waitForSelector("article.turn");
    await page.click(".composer .bar button[aria-expanded]");
    await look(page, `chat-${width}-${language}`);
    await page.click(".composer .bar button[aria-expanded]");
    await page.click(".affairs-button button");
    await page.waitForSelector("dialog .affair");
    await look(page, `chat-affairs-${width}-${language}`);
    await page.context().close();
  }
}

// actions are what stands below each reply, in plain words.
export async function actions({ open, look, expect }) {
  const user = fresh("actions");
  let page = await open("/", { user });
  await page.waitForSelector(".welcome");
  await talk(page);
  const first = page.url();
  const rows = page.locator("article.turn [role=group]");
  expect("each reply has the five actions", (await rows.count()) === 3 && (await rows.first().locator("a.button, .button:has-text(' ')").count()) >= 5);
  const last = "article.turn:last-of-type";
  await page.click(`${last} a:has-text('What will it remember?')`);
  await page.waitForSelector("#part-writes");
  await page.waitForTimeout(300);
  expect("what it will remember is in sight", await page.locator("#part-writes").evaluate((e) => e.getBoundingClientRect().top < innerHeight));
  await page.click(`${last} button:has-text('Go back to before this')`);
  await page.waitForSelector("dialog:has-text('This conversation stays as it is')");
  await look(page, "before-1440");
  await page.click("dialog button[type=submit]");
  await page.waitForFunction((u) => !location.href.startsWith(u), first);
  await page.waitForFunction(() => document.querySelectorAll("article.turn").length === 2);
  expect("before the third turn there are two", true);
  await page.goto(first);
  await page.waitForSelector(`${last} .reply`);
  expect("the conversation itself stays", (await page.locator("article.turn").count()) === 3);
  await page.click(`${last} button:has-text('Undo it')`);
  await page.waitForSelector("dialog:has-text('as it was before')");
  await page.click("dialog button[type=submit]");
  await page.waitForSelector(".toast:has-text('taken back')");
  await page.waitForFunction(() => document.querySelectorAll("article.turn").length === 2);
  expect("a reply is undone where it stands", true);
  const at = new URL(page.url()).pathname;
  await page.context().close();
  const reasons = { cs: "otevírá něco, o čem ještě nebyla řeč", pl: "otwiera coś, o czym jeszcze nie było mowy", ru: "открывает то, о чём ещё не было речи" };
  for (const [language, says] of Object.entries(reasons)) {
    page = await open(at, { width: language === "pl" ? 1440 : 360, height: 760, dark: language === "ru", language, user });
    await page.waitForSelector(`.decision:has-text('${says}')`);
    expect(`reasons are in ${language}`, true);
    await look(page, `actions-${language}`);
    await page.context().close();
  }
}

export async function inspector({ open, look, expect }) {
  const user = fresh("inspect");
  let page = await open("/", { user });
  await page.waitForSelector(".welcome");
  await talk(page);
  await page.click("article.turn:last-of-type a:has-text('Why did it say that?')");
  await page.waitForSelector(".inspector .part");
  const at = page.url();
  expect("the turn has an address", /\/s\/.+\/t\/.+/.test(at));
  expect("a dropped line says why", (await page.locator(".lines .left-out").first().innerText()).includes("said elsewhere in the prompt"));
  await look(page, "inspector-1440");
  await page.check(".inspector .check input");
  await page.waitForSelector(".lines .new");
  expect("lines that are new are marked", true);
  for (const s of await page.locator(".inspector summary:visible").all()) if (!(await s.evaluate((e) => e.parentElement.open))) await s.click();
  await look(page, "inspector-open-1440");
  await page.locator(".inspector").evaluate((e) => e.scrollTo(0, 900));
  await look(page, "inspector-mid-1440");
  await page.locator(".inspector").evaluate((e) => e.scrollTo(0, 1e6));
  await look(page, "inspector-end-1440");

  // From a line to its message, and back.
  await page.locator(".lines .from a:has-text('message 1')").first().click();
  await page.waitForSelector(".inspector .back a");
  expect("a line leads to its message", page.url() !== at);
  await page.click(".inspector .back a");
  await page.waitForFunction((u) => location.href === u, at);
  expect("and back", true);

  // Undo of a commit, then of the turn.
  await page.click(".inspector [aria-label='Turn before']");
  await page.waitForSelector(".inspector button:has-text('Undo this message and its reply')");
  await page.click(".inspector button:has-text('Undo this message and its reply')");
  await page.click("dialog button[type=submit]");
  await page.waitForSelector(".toast:has-text('Undone')");
  await page.waitForSelector(".inspector .lines .from .bad", { state: "attached" });
  expect("a turn is taken back, its messages too", (await page.locator("article.turn").count()) === 2);
  await page.context().close();

  for (const [width, dark, language] of [[360, false, "pl"], [360, true, "cs"], [1440, true, "ru"]]) {
    page = await open(new URL(at).pathname, { width, height: 760, dark, language, user });
    await page.waitForSelector(".inspector .part");
    await look(page, `inspector-${width}-${language}`);
    await page.context().close();
  }
}

export async function affair({ open, look, expect }) {
  const user = fresh("affair");
  let page = await open("/", { user });
  await page.waitForSelector(".welcome");
  await talk(page);
  await page.click(".beside .affair.active .top a");
  await page.waitForSelector(".affair-page .card");
  await page.fill(".line-form input >> nth=0", "send the photo");
  await page.click("button:has-text('Add') >> nth=0");
  await page.waitForSelector("li:has-text('send the photo')");
  await page.click("button:has-text('Edit')");
  await page.fill(".affair-page textarea", "The application, by 30 March.");
  await page.click("button:has-text('Save')");
  await page.waitForSelector("p.text:has-text('The application, by 30 March.')");
  await page.fill("[role=search] input", "Brno");
  await page.click("[role=search] button");
  await page.waitForSelector("[role=search] ~ ol li");
  expect("an affair is edited and searched", true);
  await look(page, "affair-1440");
  const at = new URL(page.url()).pathname;

  // The answer for the affair before comes when another is looked at.
  const { items } = await page.evaluate(async (user) => (await fetch("/api/v1/affairs", { headers: { "X-Mneme-User": user, "X-Mneme-Page": "1" } })).json(), user);
  const pads = items.find((a) => !at.endsWith(a.id));
  let late;
  await page.route((url) => url.pathname === `/api/v1${at}`, async (route) => {
    await new Promise((answer) => { late = answer; });
    await route.continue().catch(() => {}); // it may have been taken back
  });
  await page.reload();
  while (!late) await page.waitForTimeout(20);
  await follow(page, `/affairs/${pads.id}?user=${user}`);
  await page.waitForSelector(`.affair-page h1:has-text('${pads.title}')`);
  late();
  await page.waitForTimeout(300);
  expect("the affair at the address is shown, whichever comes last", (await page.locator("main h1").innerText()) === pads.title);
  await page.unrouteAll();
  await page.context().close();
  page = await open(at, { width: 360, dark: true, language: "ru", user });
  await page.waitForSelector(".affair-page .card");
  await look(page, "affair-360-ru");
  await page.context().close();
}

export async function signin({ open, look, base, expect }) {
  const page = await open("/inbox", { width: 360 });
  await page.context().clearCookies();
  await page.goto(`${base}/inbox`);
  await page.waitForSelector(".signin");
  await look(page, "signin-360");
  await page.fill(".signin input", "no-such-key");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".signin [role=alert]");
  expect("an unknown key is refused", true);
  await page.fill(".signin input", process.env.KEY ?? "k-dev-1234567890");
  await page.keyboard.press("Enter");
  await page.waitForSelector("main h1:has-text('Inbox')");
  await page.click("[aria-label='Menu']");
  await page.click("dialog .more summary");
  await page.selectOption("dialog .looks select >> nth=0", "cs");
  await page.waitForSelector("h1:has-text('K vyřízení')");
  await page.selectOption("dialog .looks select >> nth=1", "dark");
  await look(page, "menu-360-cs");
  await page.click("dialog button:has-text('Odhlásit se')");
  await page.waitForSelector(".signin");
  expect("signed in, in Czech and dark, and out again", true);
  await page.context().close();
}
