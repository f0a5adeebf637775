// What a person does with memory, a timeline, the graph, settings and operation.
const looks = [[360, false], [360, true], [1440, false], [1440, true]];

// each looks at an address at both ends of the sizes, light and dark.
async function each(open, look, at, name, first = async () => {}) {
  for (const [width, dark] of looks) {
    const page = await open(at, { width, dark });
    await first(page);
    await look(page, `${name}-${width}${dark ? "-dark" : ""}`);
    await page.context().close();
  }
}

export async function memory({ open, look, expect }) {
  await each(open, look, "/memory", "memory", (p) => p.waitForSelector(".record"));
  const page = await open("/memory");
  await page.waitForSelector(".record");
  const before = await page.locator(".record").count();
  await page.getByRole("button", { name: "Show more" }).click();
  await page.waitForFunction((n) => document.querySelectorAll(".record").length > n, before);
  expect("a further page is read", (await page.locator(".record").count()) > before);
  await page.locator("summary", { hasText: "Affairs and conversations" }).click();
  const elsewhere = page.locator("details", { hasText: "Affairs and conversations" });
  expect("memory leads to affairs and conversations", (await elsewhere.locator("a[href^='/affairs/']").count()) >= 3 && (await elsewhere.locator("a[href^='/s/']").count()) >= 1);
  await look(page, "memory-elsewhere");
  await page.getByLabel("Question or words").fill("When do the brake pads arrive?");
  await page.getByRole("button", { name: "Search" }).click();
  await page.waitForSelector(".funnel");
  expect("the question is in the address", page.url().includes("ask=When"));
  expect("the funnel has its four stages", (await page.locator(".funnel li").count()) === 4);
  await page.locator(".hit details summary").first().click();
  await look(page, "memory-recall");
  await page.setViewportSize({ width: 360, height: 800 });
  await look(page, "memory-recall-360");
  await page.context().close();
}

export async function forget({ open, look, expect }) {
  const page = await open("/memory");
  await page.getByRole("button", { name: "Remember something" }).click();
  await page.getByRole("textbox", { name: "What holds" }).fill(`The shed key hangs behind the blue door ${Date.now()}`);
  await page.getByRole("button", { name: "Remember", exact: true }).click();
  await page.waitForSelector(".record-page .content");
  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByRole("textbox", { name: "What holds" }).fill(`The shed key lies under the stone ${Date.now()}`);
  await page.getByRole("button", { name: "Save" }).click();
  await page.waitForSelector(".versions");
  expect("the version before is in the history", (await page.locator(".versions li").count()) === 2);
  await page.locator(".versions summary").click();
  await look(page, "record");
  await page.getByRole("button", { name: "Pin", exact: true }).click();
  await page.getByRole("button", { name: "Unpin", exact: true }).waitFor();
  await page.locator(".actions").getByRole("button", { name: "Forget" }).click();
  await page.waitForSelector("dialog .error, dialog .items li");
  await look(page, "forget");
  await page.getByLabel("Also what is pinned").check();
  await page.waitForSelector("dialog .items li");
  await page.getByLabel("Type 1 to confirm").fill("1");
  await page.getByRole("button", { name: "Erase for good" }).click();
  await page.waitForSelector(".receipt");
  await look(page, "receipt");
  expect("nothing is left", await page.getByText("A check found nothing").isVisible());
  const at = page.url();
  await page.locator("dialog footer").getByRole("button", { name: "Close" }).click();
  await page.goto(at);
  await page.waitForSelector(".failed");
  expect("it is gone after loading again", (await page.locator(".failed").innerText()).includes("not_found"));
  await look(page, "record-gone");
  await page.context().close();
}

export async function retired({ open, look, expect }) {
  await each(open, look, "/memory/retired", "retired", (p) => p.waitForSelector(".commit"));
  const page = await open("/memory/retired");
  await page.waitForSelector(".commit");
  await page.getByRole("button", { name: /Undo change/ }).first().click();
  await page.locator("dialog").getByRole("button", { name: "Undo", exact: true }).click();
  await page.getByText("holds again").first().waitFor();
  expect("what was retired is back", true);
  await page.context().close();
}

export async function timeline({ open, look, expect }) {
  await each(open, look, "/s/monday/timeline", "timeline", (p) => p.waitForSelector(".fields-at details"));
  const page = await open("/s/monday/timeline");
  await page.waitForSelector(".fields-at details");
  await page.getByRole("listbox").focus();
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction(() => new URLSearchParams(location.search).get("turn"));
  await page.locator(".fields-at summary", { hasText: "what it decided" }).click();
  await page.locator(".fields-at .readable dt", { hasText: "confidence" }).waitFor();
  expect("the state is a list, its raw form folded", !(await page.locator(".fields-at .raw pre").first().isVisible()));
  await look(page, "timeline-state");
  await page.getByRole("button", { name: "Save as a scenario" }).click();
  await page.getByLabel("Scenario (YAML)").waitFor();
  await look(page, "timeline-promote");
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download" }).click()]);
  expect("the scenario is a file", file.suggestedFilename() === "monday.yaml");
  await page.getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Replay from here" }).click();
  await look(page, "timeline-replay");
  await page.locator("dialog").getByRole("button", { name: "Replay from here" }).click();
  await page.waitForURL((u) => !u.pathname.includes("timeline"));
  expect("the replay is a session of its own", !page.url().includes("monday"));
  await page.context().close();
}

// longTimeline has the service say that a session has 10,000 turns.
export async function longTimeline({ open, look, expect }) {
  const turns = 10000;
  const page = await open("/memory");
  const at = "2026-11-20T10:00:00Z";
  await page.route("**/api/v1/sessions/long/history*", (r) => {
    const before = Number(new URL(r.request().url()).searchParams.get("before")) || turns * 4 + 1;
    const items = Array.from({ length: Math.min(500, before - 1) }, (_, i) => before - 1 - i).map((step) => ({ step, turn_id: `t${Math.ceil(step / 4)}`, at, source: "loop", next: [] }));
    return r.fulfill({ json: { items } });
  });
  await page.route("**/api/v1/sessions/long/messages*", (r) => {
    const from = Number(new URL(r.request().url()).searchParams.get("cursor") ?? 0);
    const items = Array.from({ length: 500 }, (_, i) => from + i + 1).filter((n) => n <= turns).map((n) => ({ id: `t${n}`, seq: n, turn: `t${n}`, role: "user", text: `Message number ${n}`, at, affair: `a${Math.floor(n / 7) % 9}` }));
    return r.fulfill({ json: { items, ...(from + 500 < turns ? { next_cursor: String(from + 500) } : {}) } });
  });
  await page.route("**/api/v1/sessions/long/state*", (r) => r.fulfill({ json: { step: 1, turn_id: "t1", at, source: "loop", next: [], waits: [], state: {} } }));
  await page.route("**/api/v1/sessions/long/diff*", (r) => r.fulfill({ json: { items: [] } }));
  await page.evaluate(() => {
    window.long = [];
    new PerformanceObserver((list) => window.long.push(...list.getEntries().map((e) => e.duration))).observe({ type: "longtask" });
    const link = document.createElement("a");
    link.href = "/s/long/timeline";
    document.querySelector("main").append(link);
    link.click();
  });
  await page.waitForFunction((n) => document.querySelector("[role=option]")?.getAttribute("aria-setsize") === String(n) && !document.body.innerText.includes("Loading"), turns);
  const loading = await page.evaluate(() => window.long.splice(0));
  expect(`while 10,000 turns are read the longest task takes ${Math.max(0, ...loading)} ms`, Math.max(0, ...loading) <= 100);
  const frames = await page.evaluate(async () => {
    const box = document.querySelector(".rows");
    const out = [];
    let last = performance.now();
    for (let i = 0; i < 120; i++) {
      box.scrollTop += 4000;
      await new Promise(requestAnimationFrame);
      const now = performance.now();
      out.push(now - last);
      last = now;
    }
    return out.sort((a, b) => b - a);
  });
  expect(`scrolling 10,000 turns the longest frame takes ${frames[0].toFixed(0)} ms, the 5th ${frames[4].toFixed(0)}`, frames[4] <= 50);
  expect("few rows are in the document", (await page.locator("[role=option]").count()) < 60);
  await look(page, "timeline-long");
  await page.context().close();
}

export async function brain({ open, look, expect }) {
  await each(open, look, "/brain", "brain", async (p) => {
    await p.waitForSelector(".drawing canvas");
    await p.waitForTimeout(500);
  });
  const page = await open("/brain");
  const began = Date.now();
  await page.goto(`${page.url().split("?")[0]}?n=200`);
  await page.waitForSelector(".drawing canvas");
  const rows = await page.locator(".nodes tbody tr").count();
  expect(`${rows} nodes are there after ${Date.now() - began} ms`, rows > 60);
  await page.getByRole("region", { name: "Nodes as a table" }).locator("button.link").nth(12).click();
  await page.locator(".graph-and-table .card").getByRole("button", { name: /^(Pin|Unpin)$/ }).waitFor();
  await page.getByLabel("fact", { exact: true }).uncheck();
  expect("a type is hidden", (await page.locator(".nodes tbody tr").count()) < rows);
  await page.getByLabel("fact", { exact: true }).check();
  const box = await page.locator(".drawing").boundingBox();
  for (let i = 0; i < 400 && !(await page.locator(".tip").count()); i++) await page.mouse.move(box.x + box.width * (.3 + .4 * Math.random()), box.y + box.height * (.3 + .4 * Math.random()));
  expect("a node has a tip", (await page.locator(".tip").count()) === 1);
  await look(page, "brain-200");
  await page.context().close();
}

export async function settings({ open, look, expect }) {
  await each(open, look, "/settings", "settings", (p) => p.waitForSelector(".setting"));
  const page = await open("/settings");
  await page.waitForSelector(".setting");
  await page.getByRole("button", { name: "Change autonomy" }).click();
  expect("what it takes is said before", (await page.locator(".edit .takes").innerText()).includes("from 0 to 3"));
  await page.getByLabel("Value").fill("99");
  await page.locator(".edit .error").waitFor();
  expect("the error stands at the field", (await page.locator(".edit .error").innerText()).includes("from 0 to 3"));
  expect("and what is not taken cannot be sent", await page.getByRole("button", { name: "Save" }).isDisabled());
  await look(page, "settings-wrong");
  await page.getByLabel("Value").fill("3");
  await page.getByLabel("Why").fill("to try");
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator(".setting", { hasText: "autonomy" }).filter({ hasText: "user" }).waitFor();
  await page.getByRole("link", { name: "Changes" }).click();
  await page.waitForSelector(".commit");
  expect("the change is in the history", (await page.locator(".commit").first().innerText()).includes("to try"));
  await look(page, "settings-history");
  await page.getByRole("button", { name: /Undo change/ }).first().click();
  await page.getByText("Undone.").waitFor();
  await page.getByRole("link", { name: "Access keys" }).click();
  await page.getByRole("button", { name: "Create a key" }).click();
  await page.getByLabel("Note").fill("to try");
  await look(page, "keys-create");
  await page.locator("dialog").getByRole("button", { name: "Create a key" }).click();
  await page.waitForSelector(".secret");
  const secret = await page.locator(".secret").innerText();
  expect("the key is shown", secret.length > 20);
  await look(page, "keys-made");
  await page.getByRole("button", { name: "I have kept it" }).click();
  expect("and not again", !(await page.content()).includes(secret));
  await look(page, "keys");
  const row = page.locator("tr", { hasText: "to try" }).filter({ has: page.getByRole("button", { name: /Revoke/ }) }).first();
  await row.getByRole("button", { name: /Revoke/ }).click();
  const id = (await page.locator("dialog label").innerText()).split(" ")[1];
  await page.locator("dialog input").fill(id);
  await page.locator("dialog").getByRole("button", { name: "Revoke" }).click();
  await page.getByText(`The key ${id} is revoked.`).waitFor();
  await page.setViewportSize({ width: 360, height: 800 });
  await look(page, "keys-360");
  await page.goto(`${page.url().split("?")[0]}?part=looks`);
  await page.waitForSelector(".settings .looks");
  await look(page, "settings-looks");
  await page.context().close();
}

export async function operation({ open, look, expect }) {
  await each(open, look, "/operation", "operation", (p) => p.waitForSelector(".whole tr"));
  const page = await open("/operation");
  for (const part of ["Health", "Models", "Batch jobs", "Audit", "Suggestions", "Try it"]) {
    await page.getByRole("link", { name: part, exact: true }).click();
    await page.waitForTimeout(400);
    await look(page, `operation-${part.split(" ")[0].toLowerCase()}`);
    if (part === "Models") {
      await page.getByRole("button", { name: "Test chat" }).click();
      await page.getByText(/answered in/).waitFor();
      expect("the model answers", true);
    }
    if (part === "Audit") {
      const before = await page.locator(".commit").count();
      const first = await page.locator(".commit").first().innerText();
      await page.getByRole("button", { name: "Show more" }).click();
      await page.waitForFunction((n) => document.querySelectorAll(".commit").length > n, before);
      expect(`the audit goes on from ${before} to ${await page.locator(".commit").count()} commits`, (await page.locator(".commit").first().innerText()) === first);
    }
  }
  await page.getByLabel("User", { exact: true }).fill("petra");
  await page.getByRole("textbox", { name: "Message" }).fill("I ordered a red lamp.");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("link", { name: "Open the turn" }).waitFor();
  expect("the user stands in the address", page.url().includes("user=petra"));
  await look(page, "operation-tried");
  for (const path of ["requests", "health", "models"]) await page.route(`**/api/v1/${path}*`, (r) => r.fulfill({ status: 404, contentType: "application/problem+json", json: { type: "urn:mneme:error:not_found", title: "Not Found", status: 404, code: "not_found", detail: "is no operation of this API" } }));
  for (const part of ["Requests", "Health", "Models"]) {
    await page.getByRole("link", { name: part, exact: true }).click();
    await page.getByText("Not available here").waitFor();
  }
  expect("what the service does not have is not available", true);
  await page.setViewportSize({ width: 360, height: 800 });
  await page.getByRole("link", { name: "Audit", exact: true }).click();
  await page.waitForSelector(".commit");
  await look(page, "operation-audit-360");
  await page.context().close();
}

// noAdmin has a key that is no admin's.
export async function noAdmin({ open, look, expect }) {
  const page = await open("/operation");
  await page.waitForSelector(".whole tr");
  for (const path of ["requests", "access-keys"]) await page.route(`**/api/v1/${path}*`, (r) => r.fulfill({ status: 403, contentType: "application/problem+json", json: { type: "urn:mneme:error:denied", title: "Forbidden", status: 403, code: "denied", detail: "needs the role admin" } }));
  await page.getByRole("button", { name: "Read again" }).click();
  await page.getByText("This needs a key with the role admin.").waitFor();
  await look(page, "operation-denied");
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("link", { name: "Access keys" }).click();
  await page.getByText("This needs a key with the role admin.").waitFor();
  await page.getByRole("button", { name: "Sign in with another key" }).click();
  await page.getByLabel("Access key").waitFor();
  expect("what needs an admin says so", true);
  await page.context().close();
}

// bulk acts on several records at once.
export async function bulk({ open, look, expect }) {
  const page = await open("/memory?kind=deadline");
  await page.waitForSelector(".record");
  const boxes = page.locator(".record input[type=checkbox]");
  await boxes.nth(0).check();
  await boxes.nth(1).check();
  await look(page, "memory-bulk");
  await page.getByRole("button", { name: "Pin", exact: true }).click();
  await page.getByText("Pinned: 2").waitFor();
  await page.getByLabel("Pinned only").check();
  await page.waitForFunction(() => location.search.includes("pinned"));
  await page.waitForTimeout(300);
  const pinned = await page.locator(".record").count();
  await page.getByLabel(/Choose all shown/).check();
  await page.getByRole("button", { name: "Unpin", exact: true }).click();
  await page.getByText(`Unpinned: ${pinned}`).waitFor();
  await page.getByText("Nothing matches these filters.").waitFor();
  expect("what was pinned is not", true);
  await page.getByLabel("Pinned only").uncheck();
  await page.waitForSelector(".record");
  const before = await page.locator(".record").count();
  await page.locator(".record input[type=checkbox]").nth(0).check();
  await page.locator(".record input[type=checkbox]").nth(1).check();
  await page.locator(".bulk").getByRole("button", { name: "Forget" }).click();
  await page.waitForSelector("dialog .items li");
  expect("nothing is erased without the number", await page.getByRole("button", { name: "Erase for good" }).isDisabled());
  await page.getByLabel("Type 2 to confirm").fill("2");
  await page.getByRole("button", { name: "Erase for good" }).click();
  await page.waitForSelector(".receipt");
  expect("each has its receipt", (await page.locator(".receipt").count()) === 2);
  await page.locator("dialog footer").getByRole("button", { name: "Close" }).click();
  await page.waitForFunction((n) => document.querySelectorAll(".record").length === n, before - 2);
  await page.reload();
  await page.waitForSelector(".record");
  expect("they are gone after loading again", (await page.locator(".record").count()) === before - 2);
  await page.context().close();
}

// languages looks at each view in the other languages, on a phone.
export async function languages({ open, look }) {
  for (const language of ["cs", "pl", "ru"]) {
    for (const [at, name, wait] of [["/memory", "memory", ".record"], ["/memory?ask=brake", "recall", ".funnel"], ["/memory/retired", "retired", "h1"], ["/s/monday/timeline", "timeline", ".fields-at details"],
      ["/brain", "brain", ".drawing canvas"], ["/settings", "settings", ".setting"], ["/settings?part=keys", "keys", ".keys"], ["/operation", "operation", ".whole tr"], ["/operation?part=health", "health", ".health-note"]]) {
      const page = await open(at, { width: 360, language });
      await page.waitForSelector(wait);
      await look(page, `${name}-360-${language}`);
      await page.context().close();
    }
  }
}

// restore brings back a record that was ended.
export async function restore({ open, look, expect }) {
  const page = await open("/memory?q=garden");
  await page.locator(".record .said > a").nth(2).click();
  await page.waitForSelector(".record-page .content");
  await page.getByRole("button", { name: "Holds no longer" }).click();
  await page.getByRole("button", { name: "Restore" }).waitFor();
  await look(page, "record-ended");
  await page.getByRole("button", { name: "Restore" }).click();
  await page.getByRole("button", { name: "Holds no longer" }).waitFor();
  expect("it holds again", true);
  await page.context().close();
}

// nothing looks at the views of a user of whom nothing is known, and of what is not there.
export async function nothing({ open, look }) {
  for (const [at, name] of [["/memory", "memory"], ["/memory/retired", "retired"], ["/brain", "brain"], ["/s/nowhere/timeline", "timeline"], ["/memory/nothing", "record"]]) {
    const page = await open(at, { user: "nobody-yet" });
    await page.waitForTimeout(500);
    await look(page, `nothing-${name}`);
    await page.context().close();
  }
}

// twoTabs edit the same record, then the same affair: the second is told, and overwrites nothing.
export async function twoTabs({ open, look, expect }) {
  const page = await open("/memory?q=Shelf");
  await page.locator(".record a").first().click();
  await page.waitForSelector(".record-page .card");
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.waitForSelector(".record-page .card");
  for (const p of [page, other]) await p.getByRole("button", { name: "Edit" }).first().click();
  await page.bringToFront();
  await page.getByLabel("What holds").fill("Box 999 stands on a shelf of the first tab.");
  await page.locator("dialog").getByRole("button", { name: "Save" }).click();
  await page.waitForSelector(".toast:has-text('edited')");
  await other.bringToFront();
  await other.getByLabel("What holds").fill("Box 999 stands on a shelf of the second tab.");
  await other.locator("dialog").getByRole("button", { name: "Save" }).click();
  await other.waitForSelector(".toast.bad:has-text('changed elsewhere')");
  expect("of two tabs at a record the second is told", true);
  await page.bringToFront();
  await page.locator(".toast button:has-text('Undo')").click();
  await page.waitForSelector(".toast:has-text('undone')");
  expect("and the toast takes back what the first changed", true);

  await page.goto(new URL("/s/monday", page.url()).href);
  await page.locator(".beside .affair .top a").first().click();
  await page.waitForSelector(".affair-page");
  await other.goto(page.url());
  await other.waitForSelector(".affair-page");
  for (const p of [page, other]) await p.getByRole("button", { name: "Edit" }).first().click();
  for (const [p, text] of [[page, "Of the first tab."], [other, "Of the second tab."]]) {
    await p.bringToFront();
    await p.locator(".affair-page textarea").fill(text);
    await p.getByRole("button", { name: "Save" }).click();
    await p.waitForSelector(p === page ? ".toast:has-text('Saved')" : ".toast.bad:has-text('changed elsewhere')");
  }
  await other.waitForSelector(".affair-page p.text:has-text('Of the first tab.')");
  expect("of two tabs at an affair too, and what the first wrote stands", true);
  await look(other, "two-tabs");
  await page.context().close();
}
