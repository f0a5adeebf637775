// What a page reads from the service: until it is there, when it came, and when it could not be read.
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "../core/api.ts";
import { t } from "../core/text.ts";
import { fail, problemText } from "../core/toast.ts";
import { Button } from "../core/ui.tsx";

export interface Loaded<T> {
  value: T | undefined;
  error: unknown;
  reload: () => void;
}

// useLoaded reads again when one of deps changes. The value before stays until the next one is there, and beside the error when the same could not be read again.
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>, deps: unknown[]): Loaded<T> {
  const [found, setFound] = useState<{ value?: T; error?: unknown }>({});
  const [again, setAgain] = useState(0);
  const readFor = useRef(deps);
  useEffect(() => {
    const ends = new AbortController();
    const take = (next: { value?: T; error?: unknown }) => {
      if (ends.signal.aborted) return;
      const same = deps.every((d, i) => d === readFor.current[i]);
      readFor.current = deps;
      setFound((was) => (same ? { ...was, error: undefined, ...next } : next));
    };
    load(ends.signal).then((value) => take({ value }), (error: unknown) => take({ error }));
    return () => ends.abort();
  }, [...deps, again]);
  return { value: found.value, error: found.error, reload: () => setAgain((n) => n + 1) };
}

interface Page<T> {
  items: T[] | null;
  next_cursor?: string;
}

export interface Pages<T> {
  items: T[];
  loaded: boolean; // the first page was read
  busy: boolean;
  error: unknown;
  more: (() => void) | null; // null: the last page is there
  reload: () => void;
}

// usePages reads a list page by page. It begins anew when one of deps changes.
export function usePages<T>(load: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<T>>, deps: unknown[]): Pages<T> {
  const [at, setAt] = useState<{ items: T[]; loaded: boolean; busy: boolean; error?: unknown; cursor?: string | undefined }>({ items: [], loaded: false, busy: true });
  const [again, setAgain] = useState(0);
  const ends = useRef(new AbortController());
  const read = (before: T[], cursor: string | undefined) => {
    const signal = ends.current.signal;
    load(cursor, signal).then(
      (page) => !signal.aborted && setAt({ items: [...before, ...(page.items ?? [])], loaded: true, busy: false, cursor: page.next_cursor }),
      (error: unknown) => !signal.aborted && setAt({ items: before, loaded: before.length > 0, busy: false, cursor, error }),
    );
  };
  useEffect(() => {
    ends.current = new AbortController();
    setAt((was) => ({ ...was, busy: true, error: undefined }));
    read([], undefined);
    return () => ends.current.abort();
  }, [...deps, again]);
  const more = () => {
    setAt({ ...at, busy: true, error: undefined });
    read(at.items, at.cursor);
  };
  return { items: at.items, loaded: at.loaded, busy: at.busy, error: at.error, more: at.cursor ? more : null, reload: () => setAgain((n) => n + 1) };
}

export function More<T>(p: { of: Pages<T> }) {
  return p.of.more && <p><Button onClick={p.of.more} disabled={p.of.busy}>{t("parts.more")}</Button></p>;
}

// Failed says the service's code and words, and has a way out.
export function Failed(p: { error: unknown; retry?: () => void; back?: { at: string; text: string } }) {
  const code = p.error instanceof ApiError ? p.error.code : "";
  return (
    <div class="card failed" role="alert">
      <p>{code && <code>{code}</code>} {problemText(p.error)}</p>
      <div class="row">
        {p.retry && <Button onClick={p.retry}>{t("parts.again")}</Button>}
        {p.back && <a class="button" href={p.back.at}>{p.back.text}</a>}
      </div>
    </div>
  );
}

export function Loading() {
  return <p class="empty" role="status">{t("parts.loading")}</p>;
}

// doing does something, tells of a failure, and reports whether it was done.
export async function doing(what: () => Promise<unknown>): Promise<boolean> {
  try {
    await what();
    return true;
  } catch (err) {
    fail(err);
    return false;
  }
}
