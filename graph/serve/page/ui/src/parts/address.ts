// Filters that stand in the address, so that what is shown can be sent.
import { go, path, query } from "../core/route.ts";

// inAddress returns a value of the address's query.
export function inAddress(name: string): string {
  return query.value.get(name) ?? "";
}

// setInAddress changes values of the query; "" takes one out.
export function setInAddress(values: Record<string, string>, replace = true) {
  const next = new URLSearchParams(query.peek());
  for (const [name, value] of Object.entries(values)) {
    if (value) next.set(name, value);
    else next.delete(name);
  }
  const rest = next.toString();
  go(rest ? `${path.peek()}?${rest}` : path.peek(), replace);
}
