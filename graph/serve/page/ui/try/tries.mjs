// What a person does with the page.
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
