// Parts that each page uses.
import type { ComponentChildren, TargetedEvent } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { drop, notices, toast } from "./toast.ts";
import { t } from "./text.ts";
import { utc, when } from "./time.ts";

interface ButtonProps {
  children: ComponentChildren;
  onClick?: (e: MouseEvent) => void;
  kind?: "plain" | "main" | "danger" | "quiet";
  label?: string;
  pressed?: boolean;
  expanded?: boolean;
  disabled?: boolean;
  type?: "button" | "submit";
}

export function Button(p: ButtonProps) {
  return (
    <button type={p.type ?? "button"} class={`button ${p.kind ?? "plain"}`} onClick={p.onClick} disabled={p.disabled}
      aria-label={p.label} title={p.label} aria-pressed={p.pressed} aria-expanded={p.expanded}>
      {p.children}
    </button>
  );
}

const icons = {
  attach: "M15 7l-6.5 6.5a2.1 2.1 0 0 0 3 3L18 10a4.2 4.2 0 0 0-6-6L5.5 10.5a6.3 6.3 0 0 0 9 9L20 14",
  copy: "M9 9h10v11H9zM6 15H5V4h10v2",
  edit: "M4 20l1-4L16 5l3 3L8 19zM14 7l3 3",
  retry: "M19 12a7 7 0 1 1-2-5M19 4v4h-4",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  close: "M6 6l12 12M18 6L6 18",
  menu: "M4 7h16M4 12h16M4 17h16",
  mail: "M4 6h16v12H4zM4 7l8 6 8-6",
  before: "M14 6l-6 6 6 6",
  after: "M10 6l6 6-6 6",
};

export function Icon(p: { of: keyof typeof icons }) {
  return <svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d={icons[p.of]} /></svg>;
}

export function Card(p: { title?: ComponentChildren; level?: 2 | 3; kind?: string; children: ComponentChildren }) {
  const Title = `h${p.level ?? 2}` as "h2";
  return <section class={`card ${p.kind ?? ""}`}>{p.title && <Title>{p.title}</Title>}{p.children}</section>;
}

export function Chip(p: { kind?: string; children: ComponentChildren; title?: string }) {
  return <span class={`chip ${p.kind ?? ""}`} title={p.title}>{p.children}</span>;
}

export function Time(p: { at?: string | undefined }) {
  return p.at && !p.at.startsWith("0001") ? <time dateTime={p.at} title={utc(p.at)}>{when(p.at)}</time> : null;
}

// ID shows the beginning of an id and copies all of it.
export function ID(p: { id: string }) {
  const copy = async () => {
    await navigator.clipboard.writeText(p.id);
    toast(t("ui.copied", { text: p.id }));
  };
  return <button type="button" class="id" onClick={copy} title={p.id} aria-label={t("ui.copy_id", { id: p.id })}>{p.id.length > 10 ? `${p.id.slice(0, 8)}…` : p.id}</button>;
}

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  kind?: "drawer" | "drawer right" | "box";
}

// Dialog is modal while it is in the tree. Esc and a click beside it close it; the focus goes back to where it was.
export function Dialog(p: DialogProps) {
  const box = useRef<HTMLDialogElement>(null);
  const title = useId();
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    box.current?.showModal();
    return () => before?.focus();
  }, []);
  const beside = (e: MouseEvent) => e.target === box.current && p.onClose();
  return (
    <dialog ref={box} class={p.kind ?? "box"} aria-labelledby={title} onClose={p.onClose} onClick={beside}>
      <div class="inside">
        <header>
          <h2 id={title}>{p.title}</h2>
          <Button kind="quiet" label={t("ui.close")} onClick={p.onClose}><Icon of="close" /></Button>
        </header>
        {p.children}
      </div>
    </dialog>
  );
}

interface ConfirmProps {
  title: string;
  text: ComponentChildren;
  action: string;
  typed?: string; // what has to be typed first
  harmless?: boolean; // nothing is taken away
  onClose: () => void;
  onConfirm: () => void;
}

export function Confirm(p: ConfirmProps) {
  const [typed, setTyped] = useState("");
  const submit = (e: Event) => {
    e.preventDefault();
    p.onClose();
    p.onConfirm();
  };
  return (
    <Dialog title={p.title} onClose={p.onClose}>
      <form onSubmit={submit}>
        <div class="asked">{p.text}</div>
        {p.typed && <Field label={t("ui.type_to_confirm", { text: p.typed })} value={typed} onInput={setTyped} focus />}
        <footer>
          <Button onClick={p.onClose}>{t("ui.cancel")}</Button>
          <Button kind={p.harmless ? "main" : "danger"} type="submit" disabled={p.typed !== undefined && typed.trim() !== p.typed}>{p.action}</Button>
        </footer>
      </form>
    </Dialog>
  );
}

interface FieldProps {
  label: string;
  value: string;
  onInput: (value: string) => void;
  secret?: boolean;
  rows?: number;
  focus?: boolean;
  placeholder?: string;
}

export function Field(p: FieldProps) {
  const id = useId();
  const at = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  useEffect(() => {
    if (p.focus) at.current?.focus();
  }, []);
  const shared = {
    id, ref: at, value: p.value, placeholder: p.placeholder,
    onInput: (e: TargetedEvent<HTMLInputElement | HTMLTextAreaElement>) => p.onInput(e.currentTarget.value),
  };
  return (
    <div class="field">
      <label for={id}>{p.label}</label>
      {p.rows ? <textarea rows={p.rows} {...shared} /> : p.secret ? <input type="password" autocomplete="off" {...shared} /> : <input type="text" autocomplete="off" {...shared} />}
    </div>
  );
}

export function Select<V extends string>(p: { label: string; value: V; options: readonly (readonly [V, string])[]; onChange: (value: V) => void }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{p.label}</label>
      <select id={id} value={p.value} onChange={(e) => p.onChange(e.currentTarget.value as V)}>
        {p.options.map(([value, text]) => <option key={value} value={value} selected={value === p.value}>{text}</option>)}
      </select>
    </div>
  );
}

export function Check(p: { label: string; value: boolean; onChange: (value: boolean) => void; disabled?: boolean }) {
  return (
    <label class="check">
      <input type="checkbox" checked={p.value} disabled={p.disabled} onChange={(e) => p.onChange(e.currentTarget.checked)} />
      <span>{p.label}</span>
    </label>
  );
}

export type MenuItem = { text: string; do: () => void; danger?: boolean } | null;

// Menu is a button that opens a list of actions; arrows move in it, Esc closes it.
export function Menu(p: { label: string; items: MenuItem[]; children?: ComponentChildren }) {
  const [open, setOpen] = useState(false);
  const [up, setUp] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const items = p.items.filter((i) => i !== null);
  useEffect(() => {
    if (!open) return;
    box.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
    const away = (e: Event) => box.current?.contains(e.target as Node) || setOpen(false);
    document.addEventListener("pointerdown", away);
    return () => document.removeEventListener("pointerdown", away);
  }, [open]);
  const close = () => {
    setOpen(false);
    box.current?.querySelector("button")?.focus();
  };
  const toggle = () => {
    setUp((box.current?.getBoundingClientRect().bottom ?? 0) > innerHeight / 2); // where there is more room
    setOpen(!open);
  };
  const keys = (e: KeyboardEvent) => {
    if (!open) return;
    if (e.key === "Escape") {
      e.stopPropagation();
      close();
    }
    if (e.key === "Tab") setOpen(false);
    moveFocus(e, box.current, "[role=menuitem]");
  };
  return (
    <div class={up ? "menu up" : "menu"} ref={box} onKeyDown={keys}>
      <button type="button" class="button quiet" aria-haspopup="menu" aria-expanded={open} aria-label={p.label} title={p.label} onClick={toggle}>{p.children ?? <Icon of="more" />}</button>
      {open && (
        <div role="menu" aria-label={p.label}>
          {items.map((i) => (
            <button type="button" role="menuitem" tabIndex={-1} key={i.text} class={i.danger ? "danger" : ""} onClick={() => { close(); i.do(); }}>{i.text}</button>
          ))}
        </div>
      )}
    </div>
  );
}

// moveFocus moves the focus by arrows, Home and End among the parts of a box.
export function moveFocus(e: KeyboardEvent, box: Element | null, parts: string) {
  const all = [...(box?.querySelectorAll<HTMLElement>(parts) ?? [])];
  const at = all.indexOf(document.activeElement as HTMLElement);
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[e.key];
  if (next === undefined || all.length === 0) return;
  e.preventDefault();
  all[(next + all.length) % all.length]?.focus();
}

// Toasts stand above the page, which becomes as much lower: they cover nothing of it.
export function Toasts() {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const size = new ResizeObserver(() => document.documentElement.style.setProperty("--toasts", `${box.current?.offsetHeight ?? 0}px`));
    size.observe(box.current!);
    return () => size.disconnect();
  }, []);
  return (
    <div class="toasts" role="status" aria-live="polite" ref={box}>
      {notices.value.map((n) => (
        <div key={n.id} class={n.bad ? "toast bad" : "toast"}>
          <span>{n.text}</span>
          {n.undo && <Button kind="quiet" onClick={() => { drop(n.id); n.undo?.(); }}>{t("ui.undo")}</Button>}
          <Button kind="quiet" label={t("ui.close")} onClick={() => drop(n.id)}><Icon of="close" /></Button>
        </div>
      ))}
    </div>
  );
}

export function Empty(p: { children: ComponentChildren }) {
  return <p class="empty">{p.children}</p>;
}
