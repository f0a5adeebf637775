// Where a message is written: text, files, commands, and how it is to be answered.
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Schemas } from "../core/api.ts";
import { draftAt, keepDraft, readDraft } from "../core/drafts.ts";
import { user } from "../core/session.ts";
import { t } from "../core/text.ts";
import { fail } from "../core/toast.ts";
import { Button, Dialog, Icon } from "../core/ui.tsx";
import { Affairs } from "./affairs.tsx";
import { commands, run } from "./commands.ts";
import { Controls } from "./controls.tsx";
import type { Conversation } from "./conversation.ts";
import { MoveTurn } from "./move.tsx";
import { attach, chosen, optionsWith } from "./options.ts";

// Composer is mounted anew for each session: what is written in one is none of another's.
export function Composer({ c }: { c: Conversation }) {
  const draft = useMemo(() => draftAt(user.peek(), c.session), []);
  const text = useSignal(readDraft(draft));
  const full = useRef(false);
  const write = (now: string) => {
    const kept = keepDraft(draft, (text.value = now));
    if (!kept && !full.current) fail(new Error(t("draft.full"))); // said once, not at each letter
    full.current = !kept;
  };
  const files = useSignal<Schemas["StateAttachment"][]>([]);
  const controls = useSignal(false);
  const shows = useSignal<"" | "help" | "affairs" | "move">("");
  const pick = useSignal(0);
  const at = useRef<HTMLTextAreaElement>(null);
  const file = useRef<HTMLInputElement>(null);
  const working = c.working.value !== "";
  const found = /^\/\S*$/.test(text.value) ? commands.filter((x) => x.name.startsWith(text.value.toLowerCase())) : [];

  useEffect(() => at.current?.focus({ preventScroll: true }), [c]);
  useEffect(() => document.getElementById(`command-${pick.value}`)?.scrollIntoView({ block: "nearest" }), [pick.value]);
  useSlash(at);

  const send = async () => {
    const names = files.value.map((f) => f.name).join(", ");
    const said = text.value.trim() || (names && t("file.alone", { names }));
    if (!said || working) return;
    if (said.startsWith("/")) {
      if (await run(c, said, (what) => { shows.value = what; }) && text.value.trim() === said) write("");
      return;
    }
    const options = optionsWith(files.value);
    write("");
    files.value = [];
    void c.send(said, options);
  };
  const take = (name: string, takes: boolean) => {
    write(takes ? `${name} ` : name);
    at.current?.focus();
    if (!takes) void send();
  };
  const add = async (list: FileList | null | undefined) => {
    if (!list?.length) return;
    try {
      files.value = [...files.value, ...(await attach(list))];
    } catch (err) {
      fail(err);
    }
  };
  const keys = (e: KeyboardEvent) => {
    const chosenCommand = found[pick.value] ?? found[0];
    if (found.length && (e.key === "ArrowDown" || e.key === "ArrowUp")) {
      e.preventDefault();
      pick.value = (pick.value + (e.key === "ArrowDown" ? 1 : found.length - 1)) % found.length;
    } else if (chosenCommand && (e.key === "Tab" || (e.key === "Enter" && chosenCommand.name !== text.value))) {
      e.preventDefault();
      take(chosenCommand.name, chosenCommand.takes !== undefined);
    } else if (e.key === "Enter" && !e.shiftKey && !e.isComposing) {
      e.preventDefault();
      void send();
    } else if (e.key === "Escape") {
      if (found.length) write("");
      else if (working) void c.stop();
    }
  };

  return (
    <form class="composer" onSubmit={(e) => { e.preventDefault(); void send(); }}
      onDragOver={(e) => e.dataTransfer?.types.includes("Files") && e.preventDefault()}
      onDrop={(e) => { if (e.dataTransfer?.files.length) { e.preventDefault(); void add(e.dataTransfer.files); } }}>
      {found.length > 0 && (
        <ul class="commands" role="listbox" id="commands" tabIndex={0} aria-label={t("command.list")}>
          {found.map((x, i) => (
            <li key={x.name} id={`command-${i}`} role="option" aria-selected={i === pick.value} onClick={() => take(x.name, x.takes !== undefined)}>
              <code>{x.name}</code> {x.takes && <em>{t(x.takes)}</em>} <span class="small">{t(x.says)}</span>
            </li>
          ))}
        </ul>
      )}
      {c.questions.value.length > 0 && <p class="small">{t("chat.waits")}</p>}
      {controls.value && <Controls />}
      {files.value.length > 0 && (
        <ul class="files plainlist">
          {files.value.map((f) => (
            <li key={f.name} class="chip"><Icon of="attach" /> {f.name} <Button kind="quiet" label={t("file.remove", { name: f.name })} onClick={() => { files.value = files.value.filter((x) => x !== f); }}><Icon of="close" /></Button></li>
          ))}
        </ul>
      )}
      <textarea ref={at} rows={1} value={text.value} aria-label={t("chat.message")} placeholder={t("chat.placeholder")}
        aria-controls={found.length ? "commands" : undefined} aria-autocomplete="list" aria-activedescendant={found.length ? `command-${pick.value}` : undefined}
        onInput={(e) => { write(e.currentTarget.value); pick.value = 0; }} onKeyDown={keys}
        onPaste={(e) => { if (e.clipboardData?.files.length) { e.preventDefault(); void add(e.clipboardData.files); } }} />
      <div class="bar">
        <input ref={file} type="file" multiple hidden onChange={(e) => { void add(e.currentTarget.files); e.currentTarget.value = ""; }} />
        <Button kind="quiet" label={t("file.add")} onClick={() => file.current?.click()}><Icon of="attach" /></Button>
        <Button kind="quiet" expanded={controls.value} onClick={() => { controls.value = !controls.value; }}>{t("option.open")}{marks()}</Button>
        <span class="gap" />
        {working
          ? <Button kind="danger" onClick={() => void c.stop()}>{t("chat.stop")}</Button>
          : <Button kind="main" type="submit" disabled={!text.value.trim() && files.value.length === 0}>{t("chat.send")}</Button>}
      </div>
      {shows.value === "help" && <Help onClose={() => { shows.value = ""; }} />}
      {shows.value === "affairs" && <Dialog kind="drawer right" title={t("affair.list")} onClose={() => { shows.value = ""; }}><Affairs c={c} /></Dialog>}
      {shows.value === "move" && c.turns.value.length > 0 && <MoveTurn c={c} turn={c.turns.value.at(-1)!} onClose={() => { shows.value = ""; }} />}
    </form>
  );
}

// marks tells which of the options differ from what holds without them.
function marks(): string {
  const c = chosen.value;
  const set = [c.language, c.tone && t(`option.${c.tone}`), c.style.trim() && "✎", !c.remember && t("option.not_remembered")].filter(Boolean);
  return set.length ? `: ${set.join(", ")}` : "";
}

// useSlash has "/" open the commands from anywhere in the page.
function useSlash(at: { current: HTMLTextAreaElement | null }) {
  useEffect(() => {
    const keys = (e: KeyboardEvent) => {
      const on = e.target as HTMLElement;
      if (e.key !== "/" || e.ctrlKey || e.metaKey || /^(INPUT|TEXTAREA|SELECT)$/.test(on.tagName)) return;
      at.current?.focus();
    };
    document.addEventListener("keydown", keys);
    return () => document.removeEventListener("keydown", keys);
  }, []);
}

function Help({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={t("command.list")} onClose={onClose}>
      <dl class="helplist">{commands.map((x) => <div key={x.name}><dt><code>{x.name}</code> {x.takes && <em>{t(x.takes)}</em>}</dt><dd>{t(x.says)}</dd></div>)}</dl>
      <p class="small">{t("command.keys")}</p>
    </Dialog>
  );
}
