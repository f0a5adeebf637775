// What a person does with the page. Each try uses a user of its own, so that it may be run again.
const fresh = (name) => `${name}-${Date.now().toString(36)}`;

export async function say(page, text) {
  const before = await page.locator("article.turn").count();
  await page.fill(".composer textarea", text);
  await page.keyboard.press("Enter");
  await page.waitForFunction((n) => document.querySelectorAll("article.turn").length > n, before);
  await page.waitForFunction(() => !document.querySelector(".composer .danger") && document.querySelector("article.turn:last-of-type .reply, article.turn:last-of-type .failed, .card.ask"));
}

// talk is three messages: two affairs and a question aside.
export async function talk(page) {
  await say(page, "I ordered brake pads on eBay, order number 07-14244-53150, they should arrive on Friday.");
  await say(page, "Also, I must file the application to Unicorn University by 30 March; I live in Brno.");
  await say(page, "hey, when do the brake pads arrive?");
}

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
  expect("the chip of the last turn is an aside", (await page.locator("article.turn:last-of-type .decision").innerText()).includes("Aside"));
  expect("one affair active, one parked", (await page.locator(".beside .affair.active").count()) === 1 && (await page.locator(".beside .affair.parked").count()) === 1);
  await look(page, "chat-1440");

  // After a reload the chips are there again.
  await page.reload();
  await page.waitForSelector("article.turn:last-of-type .kind-AD_HOC");
  expect("chips survive a reload", (await page.locator(".decision .chip[class*=kind-]").count()) === 3);

  // That was wrong: to a new affair, and back.
  await page.click("article.turn:last-of-type .decision button");
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
