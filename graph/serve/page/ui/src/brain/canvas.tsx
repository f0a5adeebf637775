// The drawing. The table beside it has the same for keyboards and screen readers.
import cytoscape from "cytoscape";
import fcose from "cytoscape-fcose";
import { useEffect, useRef, useState } from "preact/hooks";
import { theme } from "../core/theme.ts";
import { t } from "../core/text.ts";
import { when } from "../core/time.ts";
import { Button } from "../core/ui.tsx";
import { kindText } from "../memory/item.tsx";
import { shapes, types, type Edge, type Node } from "./types.tsx";

cytoscape.use(fcose);

interface CanvasProps {
  nodes: Node[];
  edges: Edge[];
  scopes: ReadonlyMap<string, string>;
  selected: string;
  onSelect: (id: string) => void;
}

interface Tip {
  node: Node;
  x: number;
  y: number;
}

export default function Canvas(p: CanvasProps) {
  const box = useRef<HTMLDivElement>(null);
  const graph = useRef<cytoscape.Core | null>(null);
  const shown = useRef(new Map<string, Node>());
  const [tip, setTip] = useState<Tip | null>(null);
  shown.current = new Map(p.nodes.map((n) => [n.id, n]));
  useEffect(() => {
    const cy = cytoscape({ container: box.current, style: styles(), minZoom: .2, maxZoom: 3 });
    cy.on("tap", "node", (e) => p.onSelect(e.target.id()));
    cy.on("mouseover", "node", (e) => {
      const node = shown.current.get(e.target.id());
      const at = e.target.renderedPosition();
      if (node) setTip({ node, x: at.x, y: at.y });
    });
    cy.on("mouseout pan zoom", () => setTip(null));
    graph.current = cy;
    return () => cy.destroy();
  }, []);
  useEffect(() => draw(graph.current!, p.nodes, p.edges), [p.nodes, p.edges]);
  useEffect(() => {
    const cy = graph.current!;
    cy.elements().unselect();
    const node = cy.getElementById(p.selected);
    if (node.empty()) return;
    node.select();
    const at = node.renderedPosition();
    if (at.x < 0 || at.y < 0 || at.x > cy.width() || at.y > cy.height()) cy.center(node);
  }, [p.selected, p.nodes]);
  useEffect(() => onColours(() => graph.current?.style(styles())), []);
  const zoom = (by: number) => graph.current?.zoom({ level: graph.current.zoom() * by, renderedPosition: { x: graph.current.width() / 2, y: graph.current.height() / 2 } });
  return (
    <div class="canvas">
      <div id="__________cytoscape_stylesheet" hidden /> {/* or cytoscape adds a style to the document, which the page's policy forbids */}
      <div class="drawing" ref={box} role="img" aria-label={t("brain.drawing", { n: p.nodes.length })} />
      {tip && <TipBox tip={tip} scope={p.scopes.get(tip.node.id) ?? ""} />}
      <div class="row zoom">
        <Button label={t("brain.zoom_in")} onClick={() => zoom(1.3)}>+</Button>
        <Button label={t("brain.zoom_out")} onClick={() => zoom(1 / 1.3)}>−</Button>
        <Button onClick={() => graph.current?.fit(undefined, 30)}>{t("brain.fit")}</Button>
      </div>
    </div>
  );
}

function TipBox({ tip, scope }: { tip: Tip; scope: string }) {
  const { node } = tip;
  return (
    <div class="tip" style={{ left: `${tip.x}px`, top: `${tip.y}px` }}>
      <strong>{node.label}</strong>
      <span>{kindText(node.type)}{node.pinned && `, ${t("record.is_pinned")}`}{node.status && `, ${node.status}`}</span>
      {scope && <span>{scope}</span>}
      {node.timestamp && <span>{when(node.timestamp)}</span>}
    </div>
  );
}

// draw puts the nodes in and lays them out anew; those that were there keep about their place.
function draw(cy: cytoscape.Core, nodes: Node[], edges: Edge[]) {
  const known = new Set(nodes.map((n) => n.id));
  cy.batch(() => {
    cy.elements().filter((e) => e.isNode() && !known.has(e.id())).remove();
    cy.edges().remove();
    for (const n of nodes) {
      const data = { id: n.id, label: n.label.length > 22 ? `${n.label.slice(0, 21)}…` : n.label, type: n.type, pinned: n.pinned ? 1 : 0 };
      const there = cy.getElementById(n.id);
      if (there.nonempty()) there.data(data);
      else cy.add({ data });
    }
    for (const e of edges) if (known.has(e.source) && known.has(e.target)) cy.add({ data: { id: `${e.source} ${e.target}`, source: e.source, target: e.target } });
  });
  if (nodes.length === 0) return;
  const layout = { name: "fcose", animate: false, randomize: true, quality: "default", nodeRepulsion: 6500, idealEdgeLength: 90, nodeDimensionsIncludeLabels: true, packComponents: true, padding: 30 };
  cy.layout(layout as cytoscape.LayoutOptions).run();
  if (cy.zoom() > 1.5) cy.zoom({ level: 1.5, renderedPosition: { x: cy.width() / 2, y: cy.height() / 2 } }); // few nodes would be as large as plates
}

// colour resolves a colour of the theme to one that a canvas knows.
function colour(name: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

function styles(): cytoscape.StylesheetJson {
  const text = colour("--text");
  return [
    { selector: "node", style: { width: 22, height: 22, label: "data(label)", color: text, "font-size": 10, "text-valign": "bottom", "text-margin-y": 3, "min-zoomed-font-size": 12, "text-outline-color": colour("--surface"), "text-outline-width": 2 } },
    ...types.map((type) => ({ selector: `node[type="${type}"]`, style: { shape: shapes[type].shape as cytoscape.Css.NodeShape, "background-color": colour(shapes[type].colour) } })),
    { selector: 'node[type="affair"], node[type="session"], node[type="user"]', style: { width: 32, height: 32, "font-size": 13, "min-zoomed-font-size": 6 } },
    { selector: "node[pinned=1]", style: { "border-width": 3, "border-color": text } },
    { selector: "edge", style: { width: 1, "line-color": colour("--edge"), "curve-style": "haystack" as const } },
    { selector: "node:selected", style: { "min-zoomed-font-size": 1, "overlay-color": colour("--accent"), "overlay-opacity": .3, "overlay-padding": 8 } },
  ];
}

// onColours calls back when the colours change, by the system or by the choice in the page. It returns how to end that.
function onColours(back: () => void): () => void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", back);
  const end = theme.subscribe(() => requestAnimationFrame(back));
  return () => {
    system.removeEventListener("change", back);
    end();
  };
}
