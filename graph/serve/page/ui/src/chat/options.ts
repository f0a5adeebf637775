// How messages of this browser are to be answered: kept until they are changed.
import { signal, effect } from "@preact/signals";
import type { Schemas } from "../core/api.ts";
import type { Options } from "./conversation.ts";

type Attachment = Schemas["StateAttachment"];

export interface Chosen {
  language: string;
  tone: "" | "concise" | "detailed" | "neutral";
  style: string;
  scope: "session" | "global";
  remember: boolean;
}

const none: Chosen = { language: "", tone: "", style: "", scope: "session", remember: true };

export const chosen = signal<Chosen>({ ...none, ...JSON.parse(localStorage.getItem("mneme.options") ?? "{}") });
effect(() => localStorage.setItem("mneme.options", JSON.stringify(chosen.value)));

export function choose(change: Partial<Chosen>) {
  chosen.value = { ...chosen.value, ...change };
}

// optionsWith returns what a request says of how it is to be answered.
export function optionsWith(files: Attachment[]): Options {
  const c = chosen.value;
  const said = c.language || c.tone || c.style.trim();
  return {
    ...(c.language ? { preferred_language: c.language } : {}),
    ...(c.tone ? { tone: c.tone } : {}),
    ...(c.style.trim() ? { style_notes: c.style.trim() } : {}),
    ...(said ? { preference_scope: c.scope } : {}),
    ...(c.remember ? {} : { store_knowledge: false }),
    ...(files.length ? { attachments: files } : {}),
  };
}

// attach reads files as the service takes them: text as text, the rest as bytes.
export async function attach(files: Iterable<File>): Promise<Attachment[]> {
  return Promise.all([...files].map(async (file) => {
    const mime = file.type || "application/octet-stream";
    const isText = /^text\/|json|xml|yaml|javascript/.test(mime) || /\.(md|txt|csv|ya?ml|go|py|log)$/i.test(file.name);
    return isText ? { name: file.name, mime: file.type || "text/plain", text: await file.text() } : { name: file.name, mime, data: await base64(file) };
  }));
}

async function base64(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let binary = "";
  for (let i = 0; i < bytes.length; i += 0x8000) binary += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(binary);
}
