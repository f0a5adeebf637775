// Memory as a graph, and the same as a table.
import { useSignal, type Signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { api, type Schemas } from "../core/api.ts";
import { to } from "../core/route.ts";
import { nameOf, sessions, user } from "../core/session.ts";
import { t } from "../core/text.ts";
import { Button, Check, Chip, Empty, Select } from "../core/ui.tsx";
import { kindText } from "../memory/item.tsx";
import { inAddress, setInAddress } from "../parts/address.ts";
import { TextInAddress } from "../parts/inaddress.tsx";
import { Failed, Loading, useLoaded } from "../parts/loaded.tsx";
import { useTitle } from "../parts/title.ts";
import type CanvasPart from "./canvas.tsx";
import { Chosen } from "./chosen.tsx";
import { Table } from "./table.tsx";
import { layers, Shape, types, type Edge, type Layer, type Node } from "./types.tsx";

type Graph = Schemas["MemoryGraph"];

const steps = [60, 120, 200]; // nodes that are asked for

export default function Brain() {
  const layer = (inAddress("layer") || "all") as Layer;
  const limit = Number(inAddress("n")) || steps[0]!;
  const want = { limit, session_id: inAddress("session"), affair_id: inAddress("affair"), types: Object.hasOwn(layers, layer) ? layers[layer as keyof typeof layers].join(",") : "" };
  const found = useLoaded((signal) => api.get("/api/v1/memory/graph", { query: want, signal }), [JSON.stringify(want), user.value]);
  const hidden = useSignal<ReadonlySet<string>>(new Set());
  const selected = useSignal("");
  useTitle(t("menu.brain"));
  const shown = useMemo(() => visible(found.value, hidden.value, inAddress("pinned") !== ""), [found.value, hidden.value, inAddress("pinned"), sessions.value]);
  return (
    <main class="wide brain">
      <div class="row between">
        <h1>{t("menu.brain")} {user.value && <Chip>{user.value}</Chip>}</h1>
        <a class="button" href={to`/memory`}>{t("brain.list")}</a>
      </div>
      <Filters layer={layer} />
      {found.error ? <Failed error={found.error} retry={found.reload} back={{ at: to`/memory`, text: t("brain.list") }} /> : !found.value ? <Loading /> : (
        <>
          <Legend graph={found.value} hidden={hidden} limit={limit} />
          {shown.nodes.every((n) => n.type === "user") ? <Empty>{t("brain.none")} <a href={to`/brain`}>{t("memory.no_filters")}</a> · <a href={to`/`}>{t("memory.talk")}</a></Empty> : (
            <div class="graph-and-table">
              <Drawing {...shown} selected={selected.value} onSelect={(id) => { selected.value = id; }} />
              <div>
                <Chosen node={shown.nodes.find((n) => n.id === selected.value)} scope={shown.scopes.get(selected.value) ?? ""} reload={found.reload} />
                <Table nodes={shown.nodes} scopes={shown.scopes} selected={selected.value} onSelect={(id) => { selected.value = id; }} />
              </div>
            </div>
          )}
        </>
      )}
    </main>
  );
}

interface Shown {
  nodes: Node[];
  edges: Edge[];
  scopes: ReadonlyMap<string, string>;
}

// named calls a session as the rest of the page does.
function named(n: Node): Node {
  const session = n.type === "session" && sessions.value.find((s) => s.id === n.label);
  return session ? { ...n, label: nameOf(session) } : n;
}

// visible leaves out what the legend or the filter hides. A scope is what a node hangs on: its session, affair or user.
function visible(graph: Graph | undefined, hidden: ReadonlySet<string>, pinned: boolean): Shown {
  const all = (graph?.nodes ?? []).map(named);
  const edges = graph?.edges ?? [];
  const whole = new Map(all.map((n) => [n.id, n]));
  const scopes = new Map<string, string>();
  for (const e of edges) {
    for (const [of, at] of [[e.source, e.target], [e.target, e.source]] as const) {
      const home = whole.get(at);
      if (home && ["session", "affair", "user"].includes(home.type)) scopes.set(of, [scopes.get(of), `${kindText(home.type)}: ${home.label}`].filter(Boolean).join("; "));
    }
  }
  const nodes = all.filter((n) => !hidden.has(n.type) && (!pinned || n.pinned));
  const known = new Set(nodes.map((n) => n.id));
  return { nodes, edges: edges.filter((e) => known.has(e.source) && known.has(e.target)), scopes };
}

function Filters({ layer }: { layer: Layer }) {
  const affairs = useLoaded(async (signal) => (await api.get("/api/v1/affairs", { query: { limit: 200 }, signal })).items ?? [], [user.value]);
  const all = ["", t("memory.any")] as const;
  const names = Object.keys(layers) as Layer[];
  return (
    <div class="card filters">
      <Select<Layer> label={t("brain.layer")} value={layer} options={names.map((l) => [l, t(`layer_of.${l}`)] as const)} onChange={(l) => setInAddress({ layer: l === "all" ? "" : l })} />
      <Select label={t("memory.session")} value={inAddress("session")} options={[all, ...sessions.value.map((s) => [s.id, nameOf(s)] as const)]} onChange={(session) => setInAddress({ session })} />
      <Select label={t("memory.affair")} value={inAddress("affair")} options={[all, ...(affairs.value ?? []).map((a) => [a.id, a.title] as const)]} onChange={(affair) => setInAddress({ affair })} />
      <TextInAddress name="user" label={t("keys.user")} placeholder={t("shell.user_own")} />
      <Select label={t("brain.most")} value={inAddress("n") || String(steps[0])} options={steps.map((n) => [String(n), String(n)] as const)} onChange={(n) => setInAddress({ n })} />
      <Check label={t("memory.pinned_only")} value={inAddress("pinned") !== ""} onChange={(on) => setInAddress({ pinned: on ? "1" : "" })} />
    </div>
  );
}

// Legend switches types on and off, and says how many of each are older than those shown.
function Legend({ graph, hidden, limit }: { graph: Graph; hidden: Signal<ReadonlySet<string>>; limit: number }) {
  const there = new Set([...(graph.nodes ?? []).map((n) => n.type as string), ...Object.keys(graph.meta.left_out)]);
  const toggle = (type: string, on: boolean) => {
    const next = new Set(hidden.value);
    if (on) next.delete(type);
    else next.add(type);
    hidden.value = next;
  };
  const more = steps.find((n) => n > limit);
  const older = Object.values(graph.meta.left_out).some(Boolean);
  return (
    <fieldset class="legend">
      <legend>{t("brain.legend")}</legend>
      {types.filter((type) => there.has(type)).map((type) => (
        <span class="row" key={type}>
          <Check label={kindText(type)} value={!hidden.value.has(type)} onChange={(on) => toggle(type, on)} /><Shape of={type} />
          {graph.meta.left_out[type] ? <span class="small">{t("brain.older", { n: graph.meta.left_out[type] })}</span> : null}
        </span>
      ))}
      {older && (more ? <Button onClick={() => setInAddress({ n: String(more) })}>{t("brain.more")}</Button> : <span class="small">{t("brain.narrow")}</span>)}
    </fieldset>
  );
}

type CanvasProps = Parameters<typeof CanvasPart>[0];

// Drawing loads cytoscape only once there is something to draw.
function Drawing(p: CanvasProps) {
  const [part, setPart] = useState<{ Canvas?: ComponentType<CanvasProps>; error?: unknown }>({});
  useEffect(() => { import("./canvas.tsx").then((m) => setPart({ Canvas: m.default }), (error: unknown) => setPart({ error })); }, []);
  if (part.error) return <Failed error={part.error} />;
  return part.Canvas ? <part.Canvas {...p} /> : <Loading />;
}
