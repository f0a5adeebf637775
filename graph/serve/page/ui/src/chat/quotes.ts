// Where the words come from that a reply quotes: the record, the affair or the message that says them.
import { wayOf } from "../inspect/source.tsx";
import type { Account } from "./accounts.ts";

export interface Way {
  to: string;
  says: string; // what is there
}

const marked = /“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»|"([^"]+)"/g;
const shortest = 12; // characters of a quote that may be a part of what was said; a shorter one has to be all of it

// Piece is a part of a text: a quote has its words, and stands between the marks.
export interface Piece {
  text: string;
  quote: boolean;
}

// piecesOf splits a text at what it quotes.
export function piecesOf(text: string): Piece[] {
  const out: Piece[] = [];
  let end = 0;
  for (const found of text.matchAll(marked)) {
    out.push({ text: text.slice(end, found.index + 1), quote: false }, { text: found[0].slice(1, -1), quote: true });
    end = found.index + found[0].length - 1;
  }
  return [...out, { text: text.slice(end), quote: false }].filter((p) => p.text);
}

const plain = (text: string) => text.replace(/\s+/g, " ").replace(/[\s.…!?,;:]+$/, "").trim().toLowerCase();

// wayOfQuote returns the way to what a reply quotes, null if nothing that the turn was shown or wrote says it.
export function wayOfQuote(a: Account, quote: string): Way | null {
  const words = plain(quote);
  let [best, way]: [number, Way | null] = [Infinity, null];
  for (const [name, s] of Object.entries(a.sources)) {
    if (name === a.question || name === a.answer || s.gone || !words) continue;
    const rank = rankOf(s, words);
    const here = rank < best ? wayOf(a, s) : null;
    if (here) [best, way] = [rank, here];
  }
  return way;
}

// rankOf says how near a source is to words: what says just them comes first, then what says more.
function rankOf(s: Account["sources"][string], words: string): number {
  const text = plain(s.text ?? "");
  const kind = ["record", "message", "affair", "session"].indexOf(s.kind) + 1;
  if (s.kind === "affair" && plain(s.title ?? "") === words) return 0;
  if (text === words || (s.kind === "record" && text.endsWith(`: ${words}`))) return kind;
  return words.length >= shortest && text.includes(words) ? kind * 1e6 + text.length : Infinity;
}
