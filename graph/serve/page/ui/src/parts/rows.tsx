// A long list of rows of one height, of which only those in sight are in the document. It is one stop for the keyboard.
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";

interface RowsProps<T> {
  label: string;
  items: T[];
  idOf: (item: T) => string;
  height: number; // as the style sheet has it
  selected: string;
  onSelect: (item: T) => void;
  row: (item: T, at: number) => ComponentChildren;
}

const around = 8; // rows kept above and below those in sight

export function Rows<T>(p: RowsProps<T>) {
  const box = useRef<HTMLDivElement>(null);
  const id = useId();
  const [top, setTop] = useState(0);
  const [tall, setTall] = useState(600);
  useEffect(() => {
    const sizes = new ResizeObserver(() => box.current && setTall(box.current.clientHeight));
    sizes.observe(box.current!);
    return () => sizes.disconnect();
  }, []);
  const first = Math.max(0, Math.floor(top / p.height) - around);
  const last = Math.min(p.items.length, Math.ceil((top + tall) / p.height) + around);
  const at = p.items.findIndex((i) => p.idOf(i) === p.selected);
  useEffect(() => { if (at >= 0) show(box.current!, at * p.height, p.height); }, [at]);
  const keys = (e: KeyboardEvent) => {
    const far = Math.max(1, Math.floor(tall / p.height) - 1);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + far, PageUp: at - far, Home: 0, End: p.items.length - 1 }[e.key];
    if (next === undefined || p.items.length === 0) return;
    e.preventDefault();
    p.onSelect(p.items[Math.min(p.items.length - 1, Math.max(0, next))]!);
  };
  return (
    <div class="rows" ref={box} role="listbox" tabIndex={0} aria-label={p.label} aria-activedescendant={at >= first && at < last ? `${id}-${at}` : undefined}
      onScroll={(e) => setTop(e.currentTarget.scrollTop)} onKeyDown={keys}>
      <div role="presentation" class="all" style={{ height: `${p.items.length * p.height}px` }}>
        {p.items.slice(first, last).map((item, i) => (
          <div role="option" key={p.idOf(item)} id={`${id}-${first + i}`} class="one" style={{ top: `${(first + i) * p.height}px` }}
            aria-selected={first + i === at} aria-posinset={first + i + 1} aria-setsize={p.items.length} onClick={() => p.onSelect(item)}>
            {p.row(item, first + i)}
          </div>
        ))}
      </div>
    </div>
  );
}

function show(box: HTMLElement, top: number, height: number) {
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top + height > box.scrollTop + box.clientHeight) box.scrollTop = top + height - box.clientHeight;
}
