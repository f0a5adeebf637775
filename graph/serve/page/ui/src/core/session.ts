// Who is signed in, as which user, and what the whole page shows of it.
import { computed, signal } from "@preact/signals";
import type { Schemas } from "./api.ts";
import { forgetDrafts } from "./drafts.ts";
import { decoded } from "./route.ts";

export type Signed = "unknown" | "in" | "out";

export const signed = signal<Signed>("unknown");
// user is whose memory is shown; "" = the access key's own.
export const user = signal(new URLSearchParams(location.search).get("user") ?? "");
export const sessions = signal<Schemas["StateSession"][]>([]);
export const affairs = signal<Schemas["StateAffair"][]>([]);
// titles are those of the affairs, by their ids.
export const titles = computed(() => new Map(affairs.value.map((a) => [a.id, a.title])));
// waiting is how many questions and suggestions wait for an answer.
export const waiting = signal(0);

// nameOf is what a session is called: its title, else the affairs it was about, the newest first; those of the part before while nothing was said in this one.
export function nameOf(s: Schemas["StateSession"]): string {
  const about = (s.affairs?.length ? s.affairs : (s.affairs_before ?? [])).map((id) => titles.value.get(id)).filter((title) => title !== undefined);
  return s.title || about.reverse().slice(0, 3).join(", ") || s.id;
}

// signedOut shows the form in front of everything, and leaves nothing here of who was signed in.
export function signedOut() {
  forgetDrafts();
  signed.value = "out";
}

// refused tells that the key that was tried last is not known.
export const refused = signal(false);

// signIn exchanges an access key for a cookie that scripts cannot read.
export async function signIn(key: string): Promise<boolean> {
  forgetDrafts(); // it may be somebody else's key
  const answer = await fetch("/page/session", {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Mneme-Page": "1" },
    body: JSON.stringify({ access_key: key }),
  });
  signed.value = answer.ok ? "in" : "out";
  refused.value = !answer.ok;
  return answer.ok;
}

export async function signOut() {
  await fetch("/page/session", { method: "DELETE", headers: { "X-Mneme-Page": "1" } });
  signedOut();
}

// keyInAddress takes the key out of the fragment #key=..., so that it is in no history and no link.
export function keyInAddress(): string {
  const found = /^#key=(.+)$/.exec(location.hash);
  if (!found) return "";
  history.replaceState(null, "", location.pathname + location.search);
  return decoded(found[1] ?? "");
}
