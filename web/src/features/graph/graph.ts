import { type Call, type Calls, calleeKind, calleeName, countingRow, figureOf, isHousekeeping } from "@/lib/calls";
import type { Kind } from "@/lib/filter";
import { groupedBy } from "@/lib/grouped";
import { PART, type Steps } from "@/lib/steps";

/** Totals of calls. Calls inside another call of the same kind are not added again. */
export interface CallFigures {
  calls: number;
  /** How many of these calls are inferred. */
  inferred: number;
  /** Milliseconds of the calls that have ended. */
  ms: number;
  running: number;
  errors: number;
  /** Denied, cancelled, abandoned or lost. */
  unended: number;
  /** Of the calls and everything below them; null if nothing is known. */
  inputTokens: number | null;
  outputTokens: number | null;
  costUsd: number | null;
}

/** A caller or callee: an agent, a model or a tool, with all its calls. */
export interface GraphNode {
  id: string;
  kind: Kind;
  name: string;
  /** The methods of a node that stands for several. */
  methods: string[];
  figures: CallFigures;
  calls: Call[];
  /** The nodes that were folded into this one. */
  folded: GraphNode[];
}

/** Who calls whom. */
export interface GraphEdge {
  id: string;
  from: string;
  to: string;
  figures: CallFigures;
  calls: Call[];
}

export interface AgentGraph {
  /** In the order of their first calls. */
  nodes: GraphNode[];
  edges: GraphEdge[];
  /** The node of each call; requests that only lead to other calls have none. */
  nodeOf: Map<Call, GraphNode>;
}

/** The totals of a node. */
type Tally = Pick<GraphNode, "figures" | "calls">;
type Below = Pick<CallFigures, "inputTokens" | "outputTokens" | "costUsd">;

/** Build the graph of who called whom from the calls of a run. */
export function* graphSteps({ all }: Calls): Steps<AgentGraph> {
  const below = yield* belowOf(all);
  const nodes = new Map<string, GraphNode>();
  const edges = new Map<GraphNode, Map<GraphNode, GraphEdge>>();
  const nodeOf = new Map<Call, GraphNode>();
  const visits = new Set<string>();
  const open = new OpenCalls();
  const tally = (call: Call, from: GraphNode | null, to: GraphNode, counts: number) => {
    for (const each of from ? [to, edgeFor(edges, from, to)] : [to]) {
      add(each, call, below, counts, open.has(each));
      open.keep(each);
    }
  };
  for (const [count, call] of all.entries()) {
    if (count % PART === 0) yield;
    open.enter(call);
    // Calls below a request such as `sampling/createMessage` count as calls of the sender's caller.
    if (isHousekeeping(call) && call.children.length) continue;
    const node = nodeFor(nodes, call);
    const caller = callerOf(call, nodeOf);
    let from = (caller && nodeOf.get(caller)) ?? null;
    nodeOf.set(call, node);
    const implied = impliedAgent(call, caller, nodes);
    if (implied) {
      const visit = `${caller?.row.id}\n${implied.id}`;
      tally(call, from, implied, visits.has(visit) ? 0 : 1);
      visits.add(visit);
      from = implied;
    }
    tally(call, from, node, 1);
  }
  return { nodes: [...nodes.values()], edges: [...edges.values()].flatMap((out) => [...out.values()]), nodeOf };
}

/** The calls that enclose the current one, and where they were counted. */
class OpenCalls {
  readonly #path: Call[] = [];
  readonly #tallies: Tally[][] = [];
  readonly #open = new Map<Tally, number>();

  /** Enter a call, and leave those that do not enclose it. */
  enter(call: Call): void {
    while (this.#path.length && this.#path.at(-1) !== call.parent) {
      this.#path.pop();
      for (const tally of this.#tallies.pop() ?? []) this.#open.set(tally, (this.#open.get(tally) ?? 0) - 1);
    }
    this.#path.push(call);
    this.#tallies.push([]);
  }

  /** Note that the call was counted here. */
  keep(tally: Tally): void {
    this.#tallies.at(-1)?.push(tally);
    this.#open.set(tally, (this.#open.get(tally) ?? 0) + 1);
  }

  has(tally: Tally): boolean {
    return (this.#open.get(tally) ?? 0) > 0;
  }
}

function nodeFor(nodes: Map<string, GraphNode>, call: Call): GraphNode {
  const row = countingRow(call);
  const kind = calleeKind(row);
  const node = namedNode(nodes, kind, kind === "rpc" ? "JSON-RPC" : calleeName(row));
  if (kind === "rpc" && !node.methods.includes(row.name) && node.methods.length < 20) node.methods.push(row.name);
  return node;
}

function namedNode(nodes: Map<string, GraphNode>, kind: Kind, name: string): GraphNode {
  const id = `${kind}\n${name}`;
  let node = nodes.get(id);
  if (!node) {
    node = { id, kind, name, methods: [], figures: noFigures(), calls: [], folded: [] };
    nodes.set(id, node);
  }
  return node;
}

function edgeFor(edges: Map<GraphNode, Map<GraphNode, GraphEdge>>, from: GraphNode, to: GraphNode): GraphEdge {
  let out = edges.get(from);
  if (!out) {
    out = new Map();
    edges.set(from, out);
  }
  let edge = out.get(to);
  if (!edge) {
    edge = { id: edgeId(from.id, to.id), from: from.id, to: to.id, figures: noFigures(), calls: [] };
    out.set(to, edge);
  }
  return edge;
}

function edgeId(from: string, to: string): string {
  return JSON.stringify([from, to]);
}

function callerOf(call: Call, nodeOf: Map<Call, GraphNode>): Call | null {
  let above = call.parent;
  while (above && !nodeOf.has(above)) above = above.parent;
  return above;
}

/** The agent that a model or tool call names, if the agent has no span. */
function impliedAgent(call: Call, caller: Call | null, nodes: Map<string, GraphNode>): GraphNode | null {
  if (call.row.kind !== "llm" && call.row.kind !== "tool") return null;
  if (call.agent === null || call.agent === caller?.agent) return null;
  return namedNode(nodes, "agent", call.agent);
}

function noFigures(): CallFigures {
  return {
    calls: 0,
    inferred: 0,
    ms: 0,
    running: 0,
    errors: 0,
    unended: 0,
    inputTokens: null,
    outputTokens: null,
    costUsd: null,
  };
}

function add(tally: Tally, call: Call, below: Map<Call, Below>, counts: number, inside: boolean): void {
  const { figures } = tally;
  const { status, durationMs } = call.row;
  tally.calls.push(call);
  figures.calls += counts;
  if (call.row.inferred) figures.inferred += counts;
  if (status === "running") figures.running++;
  else if (status === "error") figures.errors++;
  else if (status !== "ok") figures.unended++;
  if (inside) return;
  figures.ms += Math.max(0, durationMs ?? 0);
  const more = below.get(call);
  if (more) plus(figures, more);
}

const BELOW = ["inputTokens", "outputTokens", "costUsd"] as const;

function plus(sum: Below, more: Below, fits: (key: keyof Below) => boolean = () => true): void {
  for (const key of BELOW) {
    const value = more[key];
    if (value !== null && fits(key)) sum[key] = (sum[key] ?? 0) + value;
  }
}

function* belowOf(all: readonly Call[]): Steps<Map<Call, Below>> {
  const below = new Map<Call, Below>();
  for (const [count, call] of all.entries()) {
    if (count % PART === 0) yield;
    below.set(call, {
      inputTokens: figureOf(call, "inputTokens"),
      outputTokens: figureOf(call, "outputTokens"),
      costUsd: figureOf(call, "costUsd"),
    });
  }
  // Callees come after their callers. If an agent has figures of its own, they include everything below it.
  for (let at = all.length - 1; at >= 0; at--) {
    if (at % PART === 0) yield;
    const call = all[at];
    const parent = call?.parent;
    const more = call && below.get(call);
    const sum = parent && below.get(parent);
    if (more && sum) plus(sum, more, (key) => parent.row.kind === "llm" || figureOf(parent, key) === null);
  }
  return below;
}

/** The call to show first: one that failed, or else never ended, or else is running, or else the first. */
export function firstToShow(calls: readonly Call[]): Call | null {
  const first = (fits: (status: Call["row"]["status"]) => boolean) => calls.find((call) => fits(call.row.status));
  return (
    first((status) => status === "error") ??
    first((status) => status === "lost" || status === "abandoned" || status === "cancelled") ??
    first((status) => status === "running") ??
    calls[0] ??
    null
  );
}

/** Whether a graph has an agent, a model or a tool. */
export function isWorthDrawing({ nodes }: AgentGraph): boolean {
  return nodes.some(({ kind }) => kind === "agent" || kind === "llm" || kind === "tool");
}

/** If there are more tools in total, those of each caller are folded. */
const ROOMY = 48;

/**
 * If a caller has many tools, fold the least important ones into one node.
 *
 * Failed and running ones and `shown` are kept, then those that took longest.
 *
 * @param opened Ids of folded nodes to leave open.
 */
export function foldedGraph(graph: AgentGraph, opened: ReadonlySet<string>, shown: GraphNode | null): AgentGraph {
  const groups = leafGroups(graph);
  const keep = Math.min(6, Math.max(2, Math.floor(ROOMY / groups.size)));
  const into = new Map<string, GraphNode>();
  for (const [callers, leaves] of groups) {
    const id = `more\n${callers}`;
    if (leaves.length <= keep + 2 || opened.has(id)) continue;
    const ranked = leaves.toSorted((a, b) => weight(b, shown) - weight(a, shown));
    const rest = ranked.slice(keep).filter((leaf) => weight(leaf, shown) !== Number.POSITIVE_INFINITY);
    if (rest.length < 2) continue;
    const fold = foldOf(id, rest);
    for (const leaf of rest) into.set(leaf.id, fold);
  }
  if (into.size === 0) return graph;
  const nodes = [...new Set(graph.nodes.map((node) => into.get(node.id) ?? node))];
  const nodeOf = new Map([...graph.nodeOf].map(([call, node]) => [call, into.get(node.id) ?? node]));
  return { nodes, edges: foldedEdges(graph.edges, into), nodeOf };
}

/** Leaves with the same callers, by these callers. */
function leafGroups({ nodes, edges }: AgentGraph): Map<string, GraphNode[]> {
  const calling = new Set(edges.map((edge) => edge.from));
  const calls = groupedBy(edges, ({ to }) => to);
  const leaves = nodes.filter(
    ({ id, kind }) => !calling.has(id) && kind !== "agent" && kind !== "workflow" && kind !== "llm",
  );
  return groupedBy(leaves, ({ id }) => JSON.stringify((calls.get(id) ?? []).map(({ from }) => from).sort()));
}

function weight(leaf: GraphNode, shown: GraphNode | null): number {
  const { errors, running, unended, ms } = leaf.figures;
  return errors || running || unended || leaf === shown ? Number.POSITIVE_INFINITY : ms;
}

function foldOf(id: string, folded: GraphNode[]): GraphNode {
  const kind = folded.every((leaf) => leaf.kind === "tool") ? "tool" : "other";
  const figures = noFigures();
  const calls: Call[] = [];
  for (const leaf of folded) {
    sum(figures, leaf.figures);
    for (const call of leaf.calls) calls.push(call);
  }
  return { id, kind, name: "", methods: [], figures, calls, folded };
}

function foldedEdges(edges: readonly GraphEdge[], into: Map<string, GraphNode>): GraphEdge[] {
  const kept = new Map<string, GraphEdge>();
  for (const edge of edges) {
    const fold = into.get(edge.to);
    const id = fold ? edgeId(edge.from, fold.id) : edge.id;
    const before = kept.get(id);
    if (!fold || !before) {
      kept.set(id, fold ? { ...edge, id, to: fold.id, figures: { ...edge.figures }, calls: [...edge.calls] } : edge);
    } else {
      sum(before.figures, edge.figures);
      for (const call of edge.calls) before.calls.push(call);
    }
  }
  return [...kept.values()];
}

function sum(total: CallFigures, more: CallFigures): void {
  total.calls += more.calls;
  total.inferred += more.inferred;
  total.ms += more.ms;
  total.running += more.running;
  total.errors += more.errors;
  total.unended += more.unended;
  plus(total, more);
}
