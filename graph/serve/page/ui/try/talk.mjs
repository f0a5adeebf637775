// Talking with the agent in a try. Each try uses a user of its own, so that it may be run again.
export const fresh = (name) => `${name}-${Date.now().toString(36)}`;

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

// follow follows a link within the page.
export async function follow(page, to) {
  await page.evaluate((at) => {
    const link = document.createElement("a");
    link.href = at;
    document.querySelector("#main").append(link);
    link.click();
    link.remove();
  }, to);
}
