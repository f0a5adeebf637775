// Reasons of decisions in the page's language. The service gives them in that of the message; those of the rules are made of known sentences.
import reasons from "../texts/reasons.json";
import { language, type Language } from "./text.ts";

type Sentence = keyof typeof reasons.en;
const sentences: Sentence[] = ["goes on", "answers", "small talk", "names title", "names word", "back", "aside elsewhere", "aside", "opens"];

// reasonText returns a reason in the page's language; one that is none of the rules' stays as it is.
export function reasonText(said: string): string {
  for (const from of Object.keys(reasons) as Language[]) {
    const [head, since] = cutSince(said, from);
    for (const name of sentences) {
      const found = pattern(reasons[from][name].replaceAll("%s", reasons[from].quoted)).exec(head);
      if (found) return fill(name, found.slice(1)) + sinceText(since, from);
    }
  }
  return said;
}

// cutSince takes ", parked since Monday" or ", settled already" off the end of a sentence.
function cutSince(said: string, l: Language): [string, string] {
  for (const mark of [reasons[l].parked, reasons[l].settled]) {
    const at = said.lastIndexOf(`, ${mark}`);
    if (at > 0 && !said.slice(at).includes(reasons[l].quoted.at(-1)!)) return [said.slice(0, at), said.slice(at + 2)];
  }
  return [said, ""];
}

function sinceText(since: string, from: Language): string {
  if (!since) return "";
  const [was, now] = [reasons[from], reasons[language.value]];
  if (since === was.settled) return `, ${now.settled}`;
  return `, ${now.parked} ${whenText(since.slice(was.parked.length + 1), was, now)}`;
}

type Words = typeof reasons.en;

function whenText(when: string, was: Words, now: Words): string {
  if (when === was.moment) return now.moment;
  if (when === was.yesterday) return now.yesterday;
  const day = was.weekdays.split(", ").indexOf(when);
  if (day >= 0) return now.weekdays.split(", ")[day]!;
  const date = pattern(was.date.replace("%d", "%s")).exec(when);
  const month = date ? was.months.split(" ").indexOf(date[2]!.split(" ")[0]!) : -1;
  if (date && month >= 0) return now.date.replace("%d", date[1]!).replace("%s", now.months.split(" ")[month]! + (/ \d{4}$/.exec(date[2]!)?.[0] ?? ""));
  const hour = pattern(was.hour).exec(when);
  return hour ? now.hour.replace("%s", hour[1]!) : when;
}

function fill(name: Sentence, values: string[]): string {
  const to = reasons[language.value];
  return values.reduce((text, value) => text.replace("%s", () => to.quoted.replace("%s", () => value)), to[name]);
}

function pattern(of: string): RegExp {
  return new RegExp(`^${of.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/%s/g, "(.+)")}$`, "s");
}
