// Markdown as Preact nodes. Raw HTML in it is shown as text, and only harmless links are links.
import type { AlignType, Nodes, Parents } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import type { ComponentChildren } from "preact";
import { memo } from "./memo.ts";

const safe = /^(https?:|mailto:)/i;

// Linked draws a text of a reply; without one it stays as it is.
export type Linked = (text: string) => ComponentChildren;

interface MarkdownProps {
  text: string;
  linked?: Linked | undefined;
}

export const Markdown = memo(function Markdown(p: MarkdownProps) {
  const tree = fromMarkdown(p.text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  return <div class="markdown">{all(tree, p.linked ?? asItIs)}</div>;
});

const asItIs: Linked = (text) => text;

function all(parent: Parents, linked: Linked): ComponentChildren {
  return parent.children.map((node) => one(node as Nodes, linked));
}

function link(href: string, inside: ComponentChildren): ComponentChildren {
  return safe.test(href) ? <a href={href} target="_blank" rel="noopener noreferrer">{inside}</a> : <span>{inside}</span>;
}

function one(node: Nodes, linked: Linked): ComponentChildren {
  switch (node.type) {
    case "text": return linked(node.value);
    case "paragraph": return <p>{all(node, linked)}</p>;
    case "heading": return <p class={`heading h${node.depth}`} role="heading" aria-level={Math.min(6, node.depth + 3)}>{all(node, linked)}</p>;
    case "emphasis": return <em>{all(node, linked)}</em>;
    case "strong": return <strong>{all(node, linked)}</strong>;
    case "delete": return <del>{all(node, linked)}</del>;
    case "inlineCode": return <code>{node.value}</code>;
    case "code": return <pre tabIndex={0}><code>{node.value}</code></pre>;
    case "blockquote": return <blockquote>{all(node, linked)}</blockquote>;
    case "break": return <br />;
    case "thematicBreak": return <hr />;
    case "list": return node.ordered ? <ol start={node.start ?? 1}>{all(node, linked)}</ol> : <ul>{all(node, linked)}</ul>;
    case "listItem": return <li>{node.checked != null && (node.checked ? "☑ " : "☐ ")}{all(node, linked)}</li>;
    case "link": return link(node.url, all(node, asItIs)); // there are no links within links
    case "image": return link(node.url, node.alt || node.url); // nothing is loaded from elsewhere
    case "table": return <div class="scroll" tabIndex={0}><table><tbody>{node.children.map((row, i) => tableRow(row, i === 0, node.align ?? [], linked))}</tbody></table></div>;
    case "html": return node.value;
    default: return "children" in node ? all(node, linked) : "value" in node ? node.value : null;
  }
}

function tableRow(row: Parents, head: boolean, align: AlignType[], linked: Linked): ComponentChildren {
  const Cell = head ? "th" : "td";
  return <tr>{row.children.map((cell, i) => <Cell class={align[i] ?? ""}>{all(cell as Parents, linked)}</Cell>)}</tr>;
}
