// What a turn took: time per node, calls, tokens, commits.
import type { Account } from "../chat/accounts.ts";
import { hasText, t } from "../core/text.ts";
import { number, took } from "../core/time.ts";

const nodes = ["intake", "memory_load", "context_detect", "respond", "memory_flush", "finalize"];

export function Nodes({ a }: { a: Account }) {
  const of = (node: string) => (a.nodes ?? []).filter((n) => n.node === node);
  const others = [...new Set((a.nodes ?? []).map((n) => n.node))].filter((n) => !nodes.includes(n));
  const most = Math.max(1, ...(a.nodes ?? []).map((n) => n.took_ns));
  return (
    <ol class="node-times plainlist">
      {[...nodes, ...others].map((node) => {
        const visits = of(node);
        const ns = visits.reduce((sum, v) => sum + v.took_ns, 0);
        const key = `node.${node}`;
        return (
          <li key={node}>
            <span title={node}>{hasText(key) ? t(key) : node}</span>
            <span class="line"><span style={{ width: `${Math.max(1, Math.min(100, (ns / most) * 100))}%` }} /></span>
            <span class="num">{visits.length ? took(ns) : "–"}{visits.some((v) => v.again) && ` (${t("inspect.from_log")})`}</span>
          </li>
        );
      })}
    </ol>
  );
}

export function Bill({ a }: { a: Account }) {
  const u = a.bill.usage;
  const rows: [string, number | undefined][] = [
    [t("bill.model_calls"), u.model_calls], [t("bill.small_calls"), u.small_model_calls], [t("bill.prompt_tokens"), u.prompt_tokens],
    [t("bill.cached_tokens"), u.cached_tokens], [t("bill.reply_tokens"), u.completion_tokens], [t("bill.reads"), a.bill.reads], [t("bill.commits"), a.bill.commits],
  ];
  return <dl class="bill">{rows.filter(([, n]) => n !== undefined).map(([name, n]) => <div key={name}><dt>{name}</dt><dd>{number(n ?? 0)}</dd></div>)}</dl>;
}
