// The menu and the list of sessions beside each page; on a phone behind a button.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { loadSessions, loadWaiting } from "../core/load.ts";
import { atSession, go, path, to } from "../core/route.ts";
import { nameOf, sessions, signOut, user, waiting } from "../core/session.ts";
import { t, type Key } from "../core/text.ts";
import { Button, Dialog, Icon, moveFocus, Time } from "../core/ui.tsx";
import { LanguageAndTheme } from "./looks.tsx";
import { Whose } from "./whose.tsx";

// menu is the pages that are not a session's.
const menu: { at: () => string; text: Key }[] = [
  { at: () => to`/inbox`, text: "menu.inbox" },
  { at: () => to`/memory`, text: "menu.memory" },
  { at: () => to`/brain`, text: "menu.brain" },
  { at: () => to`/settings`, text: "menu.settings" },
  { at: () => to`/operation`, text: "menu.operation" },
];

export function Shell(p: { children: ComponentChildren }) {
  const open = useSignal(false);
  useEffect(() => {
    void loadSessions();
    void loadWaiting();
  }, [user.value]);
  useEffect(() => { open.value = false; }, [path.value]);
  return (
    <div class="shell">
      <a class="skip" href="#main">{t("shell.skip")}</a>
      <div class="top" role="banner">
        <Button kind="quiet" label={t("shell.menu")} expanded={open.value} onClick={() => { open.value = true; }}><Icon of="menu" /></Button>
        <a class="brand" href={to`/`}>Mneme</a>
        <a class="button quiet" href={to`/inbox`} aria-label={t("inbox.count", { n: waiting.value })}><Icon of="mail" /> {waiting.value > 0 && <span class="count">{waiting.value}</span>}</a>
      </div>
      <header class="side"><Side /></header>
      {open.value && <Dialog kind="drawer" title="Mneme" onClose={() => { open.value = false; }}><Side /></Dialog>}
      <div class="page" id="main" tabIndex={-1}>{p.children}</div>
    </div>
  );
}

function Side() {
  return (
    <>
      <a class="brand beside-menu" href={to`/`}>Mneme</a>
      <Button kind="main" onClick={() => go(to`/s/${newSession()}`)}>{t("session.new")}</Button>
      <nav aria-label={t("shell.menu")}>
        <ul>
          {menu.map((m) => (
            <li key={m.text}>
              <a href={m.at()} aria-current={path.value === m.at().split("?")[0] ? "page" : undefined}>
                {t(m.text)} {m.text === "menu.inbox" && waiting.value > 0 && <span class="count" title={t("inbox.count", { n: waiting.value })}>{waiting.value}</span>}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <nav aria-label={t("session.list")} class="sessions" onKeyDown={(e) => moveFocus(e, e.currentTarget, "a")}>
        <h2>{t("session.list")}</h2>
        <ul>
          {families(sessions.value).map(([s, ...branches]) => s && (
            <li key={s.id}>
              <SessionLink s={s} />
              {branches.length > 0 && <Branches of={s} branches={branches} />}
            </li>
          ))}
        </ul>
      </nav>
      <details class="more">
        <summary>{t("shell.more")}</summary>
        <Whose />
        <LanguageAndTheme />
        <Button onClick={() => void signOut()}>{t("shell.sign_out")}</Button>
      </details>
    </>
  );
}

type Session = (typeof sessions.value)[number];

function SessionLink({ s }: { s: Session }) {
  return (
    <a href={to`/s/${s.id}`} aria-current={isOpen(s) ? "page" : undefined}>
      <span class="name">{nameOf(s)}</span>
      <Time at={s.last_at} />
    </a>
  );
}

const isOpen = (s: Session) => atSession.value === encodeURIComponent(s.id);

const branchesShown = 3; // of a session; older ones are behind a fold, but for the one that is open

function Branches({ of, branches }: { of: Session; branches: Session[] }) {
  const isShown = (s: Session, at: number) => at < branchesShown || isOpen(s);
  const shown = branches.filter(isShown);
  const folded = branches.filter((s, at) => !isShown(s, at));
  const label = t("branch.list", { name: nameOf(of) });
  return (
    <>
      <ul class="branches" aria-label={label}>{shown.map((s) => <li key={s.id}><SessionLink s={s} /></li>)}</ul>
      {folded.length > 0 && (
        <details class="branches"><summary>{t("affair.more", { n: folded.length })}</summary><ul aria-label={label}>{folded.map((s) => <li key={s.id}><SessionLink s={s} /></li>)}</ul></details>
      )}
    </>
  );
}

// families puts each session's branches behind it. A family stands where the one of it that was open last does.
function families(all: Session[]): Session[][] {
  const out = new Map<string, Session[]>();
  for (const s of all) {
    const root = s.id.split("~")[0]!;
    const others = out.get(root) ?? [];
    out.set(root, s.id === root ? [s, ...others] : [...others, s]);
  }
  return [...out.values()];
}

// newSession is an id that people can read: the day and some letters.
export function newSession(): string {
  return `${new Date().toISOString().slice(0, 10)}-${crypto.randomUUID().slice(0, 6)}`;
}
