// Drafts are messages that were begun and not sent. This browser keeps them, each by its user and session, until they are sent or nobody is signed in.

const start = "mneme.draft:";

// draftAt names the draft of a user in a session.
export function draftAt(user: string, session: string): string {
  return start + JSON.stringify([user, session]);
}

export function readDraft(at: string): string {
  return localStorage.getItem(at) ?? "";
}

// keepDraft keeps what is written so far; "" ends the draft. It reports whether the browser had room for it.
export function keepDraft(at: string, text: string): boolean {
  localStorage.removeItem(at); // where there is no room, what stood there before would be taken for this
  if (!text) return true;
  try {
    localStorage.setItem(at, text);
    return true;
  } catch {
    return false;
  }
}

// forgetDrafts ends all drafts: whoever signs in next finds none of another person's.
export function forgetDrafts() {
  for (const at of Object.keys(localStorage)) if (at.startsWith(start)) localStorage.removeItem(at);
}
