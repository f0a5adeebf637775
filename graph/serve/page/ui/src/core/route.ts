// Addresses of the page. Each place has one that can be sent.
import { computed, signal } from "@preact/signals";
import { user } from "./session.ts";

export const path = signal(location.pathname);
export const query = signal(new URLSearchParams(location.search));

// decoded is a part of an address as it was meant; what is no such thing stays as it is.
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export type Params = Record<string, string>;

// match returns the blanks of a pattern such as /s/{session}/t/{turn}, or null.
export function match(pattern: string, at: string): Params | null {
  const want = pattern.split("/");
  const have = at.replace(/(.)\/$/, "$1").split("/");
  if (want.length !== have.length) return null;
  const out: Params = {};
  for (const [i, part] of want.entries()) {
    const value = have[i] ?? "";
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name && value) out[name] = decoded(value);
    else if (part !== value) return null;
  }
  return out;
}

// to returns an address with its parts escaped and the chosen user kept: to`/s/${session}`.
export function to(parts: TemplateStringsArray, ...names: string[]): string {
  const at = parts.reduce((all, part, i) => all + encodeURIComponent(names[i - 1] ?? "") + part);
  return user.value ? `${at}?user=${encodeURIComponent(user.value)}` : at;
}

export function go(address: string, replace = false) {
  if (address === location.pathname + location.search) return;
  history[replace ? "replaceState" : "pushState"](null, "", address);
  read();
}

function read() {
  path.value = location.pathname;
  query.value = new URLSearchParams(location.search);
  user.value = query.value.get("user") ?? "";
}

// listen has links within the page change the address without loading it again.
export function listen() {
  addEventListener("popstate", read);
  document.addEventListener("click", (e) => {
    const link = (e.target as Element | null)?.closest?.("a");
    if (!link || e.defaultPrevented || e.button || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return;
    if (link.target || link.origin !== location.origin || link.pathname.startsWith("/page/") || link.pathname === "/docs") return;
    if (link.hash && link.pathname === location.pathname) return;
    e.preventDefault();
    go(link.pathname + link.search);
  });
}

export const atSession = computed(() => /^\/s\/([^/]+)/.exec(path.value)?.[1] ?? "");
