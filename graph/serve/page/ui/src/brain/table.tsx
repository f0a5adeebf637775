// The same nodes as a table, for keyboards, screen readers and whoever reads rather than looks.
import { useState } from "preact/hooks";
import { t } from "../core/text.ts";
import { Button, Time } from "../core/ui.tsx";
import { kindText } from "../memory/item.tsx";
import { Shape, types, type Node, type Type } from "./types.tsx";

interface TableProps {
  nodes: Node[];
  scopes: ReadonlyMap<string, string>;
  selected: string;
  onSelect: (id: string) => void;
}

type Order = "type" | "at";

export function Table(p: TableProps) {
  const [order, setOrder] = useState<Order>("type");
  const rank = (n: Node) => types.indexOf(n.type as Type);
  const sorted = [...p.nodes].sort((a, b) => (order === "type" ? rank(a) - rank(b) : 0) || (b.timestamp ?? "").localeCompare(a.timestamp ?? ""));
  const head = (of: Order, text: string) => <th scope="col" aria-sort={order === of ? "ascending" : "none"}><Button kind="quiet" pressed={order === of} onClick={() => setOrder(of)}>{text}</Button></th>;
  return (
    <div class="nodes" tabIndex={0} role="region" aria-label={t("brain.table")}>
      <table>
        <caption class="hidden">{t("brain.table")}</caption>
        <thead><tr>{head("type", t("memory.kind"))}<th scope="col">{t("record.content")}</th>{head("at", t("brain.at"))}</tr></thead>
        <tbody>
          {sorted.map((n) => (
            <tr key={n.id} class={n.id === p.selected ? "selected" : ""}>
              <td><span class="row nowrap"><Shape of={n.type} /> {kindText(n.type)}</span></td>
              <td>
                <button type="button" class="link" aria-pressed={n.id === p.selected} onClick={() => p.onSelect(n.id)}>{n.label}</button>
                {n.pinned && <span class="small good"> {t("record.is_pinned")}</span>}
                {p.scopes.has(n.id) && <div class="small">{p.scopes.get(n.id)}</div>}
              </td>
              <td><Time at={n.timestamp} /></td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
