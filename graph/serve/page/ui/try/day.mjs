// A day with the page, from its first message to the next morning, by pressing and typing alone; then six questions about what was kept.
import { base, close, expect, failures, key, look, open, wrong } from "./page.mjs";
import { say } from "./talk.mjs";

const turn = (page, text) => page.locator("article.turn", { hasText: text });
const affair = (page, title, status = "") => page.locator(`.beside .affair${status}`, { hasText: title });
const press = (page, name) => page.getByRole("button", { name, exact: true }).first().click();
const menu = (page, name) => page.locator(".side nav").first().getByRole("link", { name: new RegExp(`^${name}( \\d+)?$`) }).click();
const reply = (page) => page.locator("article.turn:last-of-type .reply").innerText();

async function shows(what, locator) {
  const is = await locator.first().waitFor({ timeout: 5000 }).then(() => true, () => false);
  expect(what, is);
}

async function matters(page) {
  await press(page, "New session");
  await page.waitForSelector(".welcome");
  await say(page, "I ordered brake pads on eBay, order number 07-14244-53150, they should arrive on Friday.");
  await shows("the first matter is an affair", affair(page, "Brake pads", ".active"));
  await say(page, "I also have to file my application to Unicorn University by 30 March; I still need the transcript.");
  await shows("the second was put under the first", turn(page, "transcript").locator(".decision", { hasText: "Brake pads" }));
  await mixed(page);
  await say(page, "hey, when do the brake pads arrive?");
  await shows("a side question is an aside", page.locator("article.turn:last-of-type .kind-AD_HOC"));
  await shows("and leaves the affair active", affair(page, "Application", ".active"));
  expect("it has its answer", (await reply(page)).includes("07-14244-53150"));
  await look(page, "day-aside");
  await say(page, "Remember that the university wants the transcript as a PDF.");
  await say(page, "Another thing: I'm planning a trip to Porto on 5 May, the hotel costs 240 euro.");
  await say(page, "Remember that the hotel in Porto is called Casa Azul.");
  await say(page, "Remember that Maria waters the plants while I am in Porto.");
  await shows("the third matter is active", affair(page, "Porto", ".active"));
  expect("the others are parked", (await page.locator(".beside .affair.parked").count()) === 2);
  await shows("with its price", affair(page, "Porto", ".active").locator("dd", { hasText: "240 euro" }));
  await say(page, "The hotel costs 260 euro, not 240.");
  await shows("a correction is taken", affair(page, "Porto", ".active").locator("dd", { hasText: "260 euro" }));
  await look(page, "day-affairs");
}

// mixed puts right that it took two matters for one.
async function mixed(page) {
  await turn(page, "transcript").getByRole("button", { name: "This is about something else" }).click();
  await page.locator("dialog label", { hasText: "A new affair" }).click();
  await page.locator("dialog input[type=text]").fill("Application to Unicorn University");
  await look(page, "day-mixed");
  await page.locator("dialog").getByRole("button", { name: "Put it there" }).click();
  await shows("it mixed up two matters: there are two now", affair(page, "Application", ".active"));
  await shows("the first is parked", affair(page, "Brake pads", ".parked"));
  await shows("the turn says so", turn(page, "transcript").locator(".decision a", { hasText: "Application" }));
  await shows("and that a person put it there", turn(page, "transcript").locator(".decision .moved"));
  expect("not what was decided before", !/same affair|goes on with/i.test(await turn(page, "transcript").locator(".decision").innerText()));
  expect("the deadline went with it", !(await affair(page, "Brake pads").innerText()).includes("30 March"));
}

async function forgetting(page) {
  const at = page.url();
  await say(page, "Remember that my locker code is 4471.");
  await menu(page, "Memory");
  await shows("what it is told to remember is in memory", page.locator(".record", { hasText: "4471" }));
  await page.goBack();
  await page.waitForSelector("article.turn");
  await say(page, "Forget my locker code.");
  expect("it says that it has forgotten", (await reply(page)).includes("Forgotten"));
  await menu(page, "Memory");
  await page.waitForSelector("main.memory");
  await page.waitForTimeout(500);
  expect("and memory has it no more", !(await page.locator("main").innerText()).includes("4471"));
  await page.goBack();
  await page.waitForURL(at);
  await page.waitForSelector("article.turn");
}

async function approval(page) {
  await menu(page, "Settings");
  await press(page, "Change autonomy");
  await page.getByLabel("Value").fill("1");
  await page.getByLabel("Why").fill("I want to be asked first.");
  await press(page, "Save");
  await shows("autonomy is 1", page.locator(".setting", { hasText: "autonomy" }).filter({ hasText: "user" }));
  await page.goBack();
  await page.waitForSelector("article.turn");
  await page.waitForTimeout(2500); // a running service knows within a second or two
  await say(page, "In the afternoon I drink nothing but oolong.");
  await shows("a change of memory waits", page.locator(".card.ask"));
  await menu(page, "Inbox");
  await shows("it waits in the inbox", page.locator(".card.ask", { hasText: "oolong" }));
  await look(page, "day-inbox");
  await page.locator(".card.ask", { hasText: "memory_update" }).getByRole("button", { name: "Approve" }).click();
  await page.locator(".card.ask", { hasText: "memory_update" }).waitFor({ state: "detached" });
  await menu(page, "Memory");
  await shows("approved, it is in memory", page.locator(".record", { hasText: "oolong" }));
  await page.goBack();
  await page.goBack();
  await shows("and the turn has its reply", turn(page, "oolong").locator(".reply", { hasText: "remember" }));
  await shows("which says who approved", turn(page, "oolong").locator(".calls summary"));
  await turn(page, "oolong").locator(".calls summary").first().click();
  await shows("and what it did, as a list", turn(page, "oolong").locator(".calls dt", { hasText: "action" }));
  await turn(page, "oolong").getByText("What will it remember?").click();
  await shows("what was approved is told as remembered", page.locator("#part-writes .learnt", { hasText: "Drinks oolong in the afternoon" }));
  await page.locator(".inspector").getByRole("button", { name: "Close" }).click();
  expect("its JSON is folded", !(await turn(page, "oolong").locator(".calls .raw pre").first().isVisible()));
}

// morning is the next one, in another session.
async function morning(page) {
  await press(page, "Actions for this session");
  await page.getByRole("menuitem", { name: "End this part" }).click();
  await shows("the session is over", page.locator(".toast", { hasText: "Ended" }));
  await shows("its affair is parked", affair(page, "Porto", ".parked"));
  await shows("and it keeps its name", page.locator("main h1", { hasText: "Porto" }));
  const evening = page.url();
  await press(page, "New session");
  await page.waitForSelector(".welcome");
  await say(page, "Good morning! What is open?");
  const said = await reply(page);
  for (const what of ["Porto", "Brake pads", "Application"]) expect(`in the morning it knows of ${what}`, said.includes(what));
  expect("and nothing of the locker", !said.includes("4471"));
  await look(page, "day-morning");
  return evening;
}

async function why(page, evening) {
  await page.locator("article.turn:last-of-type").getByText("Why did it say that?").click();
  await page.waitForSelector(".inspector .part");
  await shows("why did it say that: its decision", page.locator(".inspector .part", { hasText: "Decision" }).locator(".chip"));
  await unfold(page);
  await shows("and the prompt, line by line", page.locator(".inspector .lines li:visible"));
  await page.locator(".sessions a").filter({ hasNot: page.locator("[aria-current]") }).nth(1).click();
  await page.waitForURL((u) => u.pathname === new URL(evening).pathname);
  await turn(page, "260 euro, not 240").getByText("Why did it say that?").click();
  await page.waitForSelector(".inspector .part");
  await unfold(page);
  const at = page.url();
  await superseded(page);
  const line = page.locator(".inspector .lines li:visible", { has: page.locator(".from a", { hasText: "message" }) }).first();
  await shows("where does this line come from: it has a way to its message", line);
  await line.locator(".from a").first().click();
  await page.waitForSelector(".inspector .back a");
  await shows("the message is there, in its conversation", page.locator("article.turn.open"));
  await look(page, "day-line");
  await page.locator(".inspector .back a").click();
  await page.waitForURL(at);
  await shows("and back", turn(page, "260 euro, not 240"));
}

// superseded looks for the message with the old price: the price is struck out, with the new one beside it.
async function superseded(page) {
  const old = page.locator(".inspector del.superseded", { hasText: "240 euro" });
  await shows("a value that was corrected is struck out where the old message is quoted", old);
  await shows("with what holds now", page.locator(".inspector ins.now", { hasText: "260 euro" }));
}

// unfold opens what is folded in the inspector.
async function unfold(page) {
  await page.waitForSelector(".inspector .lines", { state: "attached" });
  const folded = page.locator(".inspector details:not([open]) > summary:visible");
  for (let n = 0; n < 40 && (await folded.count()); n++) await folded.first().click();
}

async function remember(page, evening) {
  await menu(page, "Memory");
  await shows("what will it remember: the preference", page.locator("main", { hasText: "oolong" }));
  await look(page, "day-memory");
  await page.locator(".record", { hasText: "oolong" }).locator("a").first().click();
  await shows("and where that is from", page.locator(".record-page a", { hasText: "a turn of" }));
  await page.locator(".record-page a", { hasText: "a turn of" }).click();
  await page.waitForURL((u) => u.pathname.startsWith(new URL(evening).pathname));
  await shows("which opens the turn", page.locator(".inspector .part", { hasText: "What it will remember" }));
}

async function undo(page) {
  await turn(page, "260 euro, not 240").getByText("Why did it say that?").click();
  await shows("undo it: what the turn wrote", page.locator(".inspector").getByText("Undo this message and its reply"));
  await page.locator(".inspector").getByText("Undo this message and its reply").click();
  const promised = await page.locator("dialog").innerText();
  await page.locator("dialog").getByRole("button", { name: "Undo", exact: true }).click();
  await shows("it says that it is undone", page.locator(".toast", { hasText: "Undone" }));
  await page.locator(".inspector .decision a, .inspector .part a", { hasText: "Porto" }).first().click();
  await shows("the price before holds again", page.locator(".affair-page td", { hasText: "240 euro" }));
  await look(page, "day-undone");
  await page.goBack();
  await page.waitForSelector("article.turn");
  await page.waitForTimeout(500);
  const stays = (await page.locator("article.turn .said", { hasText: "260 euro, not 240" }).count()) === 1;
  expect("the dialog said what becomes of the message", stays === promised.includes("The messages stay"));
}

async function before(page) {
  const at = page.url().replace(/\/t\/.*/, "");
  await turn(page, "trip to Porto").locator(".said button[aria-label^='Edit']").first().click();
  await page.locator("article.turn form textarea").fill("Another thing: I'm planning a trip to Vienna on 9 May.");
  await press(page, "Send in a new branch");
  await shows("go back to before: another branch", page.locator("article.turn", { hasText: "Vienna" }).locator(".reply"));
  expect("what was said is in sight", await turn(page, "Vienna").locator(".said").evaluate((e) => e.getBoundingClientRect().bottom <= document.querySelector(".thread").getBoundingClientRect().bottom));
  expect("with the turns before it", (await page.locator("article.turn .said", { hasText: "I ordered brake pads" }).count()) === 1 && (await turn(page, "260 euro, not 240").count()) === 0);
  await shows("and a way to the other", page.locator(".arrows"));
  await look(page, "day-branch");
  await page.locator(".arrows").getByRole("button", { name: "Previous branch" }).click();
  await page.waitForURL((u) => u.pathname === new URL(at).pathname);
  await shows("which is as it was", page.locator("article.turn .said", { hasText: "trip to Porto" }));
  await look(page, "day-back");
}

// known is what is remembered beside for the picture of the graph: texts, by the affair that they are filed under.
const known = {
  "Trip to Porto": ["The hotel is called Casa Azul", "Flight TP 1243 leaves at 7:40", "Maria waters the plants", "Breakfast is not included", "Tickets for the cellars are booked"],
  "Application to Unicorn University": ["The transcript has to be a PDF", "Two letters of reference are needed", "Professor Novak writes the first one", "The fee of 800 crowns is paid"],
  "Brake pads on eBay": ["Order number 07-14244-53150", "The seller is parts4cars", "The garage opens at eight", "The old pads squeak on the left"],
};

// readme takes the pictures of the README.
async function readme(page, evening) {
  await page.setViewportSize({ width: 1200, height: 760 });
  await page.goto(evening);
  await page.waitForSelector("article.turn");
  await turn(page, "when do the brake pads arrive").getByText("Why did it say that?").click();
  await page.waitForSelector(".inspector .part");
  await page.waitForTimeout(500);
  await look(page, "readme-chat");
  const send = { Authorization: `Bearer ${key}`, "X-Mneme-User": "ann", "Content-Type": "application/json" };
  const { items } = await (await fetch(`${base}/api/v1/affairs`, { headers: send })).json();
  await fetch(`${base}/api/v1/settings/user`, { method: "PUT", headers: send, body: JSON.stringify({ unset: ["autonomy"] }) });
  await page.waitForTimeout(2500);
  for (const [title, texts] of Object.entries(known)) {
    const affair_id = items.find((a) => a.title === title)?.id;
    for (const content of texts) await fetch(`${base}/api/v1/records`, { method: "POST", headers: send, body: JSON.stringify({ content, affair_id }) });
  }
  await menu(page, "Memory graph");
  await page.waitForSelector(".drawing canvas");
  await page.waitForTimeout(800);
  await look(page, "readme-brain");
}

try {
  const page = await open("/inbox?user=ann", { width: 1440, height: 900 });
  let evening = "";
  for (const step of [matters, forgetting, approval, async (p) => { evening = await morning(p); }, (p) => why(p, evening), (p) => remember(p, evening), undo, before, (p) => readme(p, evening)]) {
    await step(page).catch((err) => wrong(`${step.name || "step"}: ${err.message.slice(0, 500)}`));
  }
} catch (err) {
  console.error(err);
  process.exitCode = 1;
}
await close();
if (failures) process.exitCode = 1;
