// Markdown as Preact nodes. Raw HTML in it is shown as text, and only harmless links are links.
import type { AlignType, Nodes, Parents } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import type { ComponentChildren } from "preact";
import { memo } from "./memo.ts";

const safe = /^(https?:|mailto:)/i;

export const Markdown = memo(function Markdown(p: { text: string }) {
  const tree = fromMarkdown(p.text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  return <div class="markdown">{all(tree)}</div>;
});

function all(parent: Parents): ComponentChildren {
  return parent.children.map((node) => one(node as Nodes));
}

function link(href: string, inside: ComponentChildren): ComponentChildren {
  return safe.test(href) ? <a href={href} target="_blank" rel="noopener noreferrer">{inside}</a> : <span>{inside}</span>;
}

function one(node: Nodes): ComponentChildren {
  switch (node.type) {
    case "text": return node.value;
    case "paragraph": return <p>{all(node)}</p>;
    case "heading": return <p class={`heading h${node.depth}`} role="heading" aria-level={Math.min(6, node.depth + 3)}>{all(node)}</p>;
    case "emphasis": return <em>{all(node)}</em>;
    case "strong": return <strong>{all(node)}</strong>;
    case "delete": return <del>{all(node)}</del>;
    case "inlineCode": return <code>{node.value}</code>;
    case "code": return <pre tabIndex={0}><code>{node.value}</code></pre>;
    case "blockquote": return <blockquote>{all(node)}</blockquote>;
    case "break": return <br />;
    case "thematicBreak": return <hr />;
    case "list": return node.ordered ? <ol start={node.start ?? 1}>{all(node)}</ol> : <ul>{all(node)}</ul>;
    case "listItem": return <li>{node.checked != null && (node.checked ? "☑ " : "☐ ")}{all(node)}</li>;
    case "link": return link(node.url, all(node));
    case "image": return link(node.url, node.alt || node.url); // nothing is loaded from elsewhere
    case "table": return <div class="scroll" tabIndex={0}><table><tbody>{node.children.map((row, i) => tableRow(row, i === 0, node.align ?? []))}</tbody></table></div>;
    case "html": return node.value;
    default: return "children" in node ? all(node) : "value" in node ? node.value : null;
  }
}

function tableRow(row: Parents, head: boolean, align: AlignType[]): ComponentChildren {
  const Cell = head ? "th" : "td";
  return <tr>{row.children.map((cell, i) => <Cell class={align[i] ?? ""}>{all(cell as Parents)}</Cell>)}</tr>;
}
