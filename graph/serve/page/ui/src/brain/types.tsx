// The types of nodes: each has a colour and a shape of its own, so that neither has to be told from the other alone.
import type { Schemas } from "../core/api.ts";

export type Node = Schemas["GraphNode"];
export type Edge = Schemas["GraphEdge"];
export type Type = (typeof types)[number];

export const types = ["user", "session", "affair", "fact", "preference", "summary", "lesson", "document"] as const;

// layers are what is looked at together.
export const layers = {
  all: types,
  talk: ["user", "session", "summary", "preference"],
  affairs: ["affair", "fact", "document"],
  learnt: ["session", "lesson"],
} as const satisfies Record<string, readonly Type[]>;
export type Layer = keyof typeof layers;

// shapes are named as cytoscape names them; the points are those of the legend's drawing.
export const shapes: Record<Type, { shape: string; colour: string; points: string }> = {
  user: { shape: "ellipse", colour: "--text", points: "" },
  session: { shape: "rectangle", colour: "--blue", points: "2,4 18,4 18,16 2,16" },
  affair: { shape: "hexagon", colour: "--accent", points: "1,10 5,2 15,2 19,10 15,18 5,18" },
  fact: { shape: "triangle", colour: "--warn", points: "10,2 19,18 1,18" },
  preference: { shape: "star", colour: "--good", points: "10,1 12.5,7.5 19,7.5 13.8,11.8 15.7,18.5 10,14.5 4.3,18.5 6.2,11.8 1,7.5 7.5,7.5" },
  summary: { shape: "diamond", colour: "--violet", points: "10,1 19,10 10,19 1,10" },
  lesson: { shape: "pentagon", colour: "--bad", points: "10,1 19,8 15.5,19 4.5,19 1,8" },
  document: { shape: "tag", colour: "--muted", points: "2,4 14,4 19,10 14,16 2,16" },
};

export function Shape({ of }: { of: string }) {
  const known = shapes[of as Type] ?? shapes.fact;
  return (
    <svg class={`shape of-${of}`} viewBox="0 0 20 20" width="16" height="16" aria-hidden="true">
      {known.points ? <polygon points={known.points} /> : <circle cx="10" cy="10" r="9" />}
    </svg>
  );
}

// idOf splits a node's id into what it is and its own id.
export function idOf(node: { id: string }): { of: string; id: string } {
  const at = node.id.indexOf(":");
  return { of: node.id.slice(0, at), id: node.id.slice(at + 1) };
}
