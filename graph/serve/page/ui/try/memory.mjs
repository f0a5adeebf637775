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
