import { expect, test } from "vitest";
import { callSteps } from "@/lib/calls";
import { atOnce, rowsInTurn } from "@/lib/samples.test-data";
import type { SpanRow } from "@/lib/spans";
import { firstToShow, foldedGraph, graphSteps, isWorthDrawing } from "./graph";

const callsOf = atOnce(callSteps);
const agentGraph = atOnce(graphSteps);

const row = rowsInTurn(1);

const graphOf = (rows: SpanRow[]) => agentGraph(callsOf(rows));

function find(graph: ReturnType<typeof graphOf>, from: string, to: string) {
  const name = new Map(graph.nodes.map((node) => [node.id, node.name]));
  return graph.edges.find((edge) => name.get(edge.from) === from && name.get(edge.to) === to);
}

const RUN = [
  row("w", null, { kind: "workflow", name: "invoke_workflow trip", durationMs: 100 }),
  row("list", "w", { kind: "rpc", name: "tools/list" }),
  row("a", "w", { kind: "agent", agent: "planner", durationMs: 90 }),
  row("m1", "a", { kind: "llm", model: "gpt", inputTokens: 10, outputTokens: 2, costUsd: 0.5 }),
  row("t1", "a", { tool: "book", status: "error" }),
  row("r1", "t1", { kind: "rpc", tool: "book", status: "error" }),
  row("s1", "r1", { tool: "book", status: "error", foldedInto: "t1" }),
  row("t2", "a", { tool: "book", durationMs: 30 }),
  row("ask", "a", { tool: "ask", durationMs: 40 }),
  row("g", "ask", { kind: "agent", agent: "guide", durationMs: 35 }),
  row("m2", "g", { kind: "llm", model: "gpt", inputTokens: 5, outputTokens: 1, costUsd: 0.25 }),
];

test("who called whom, with counts, time, failures and the tokens of everything below", () => {
  const graph = graphOf(RUN);
  expect(graph.nodes.map((node) => node.name)).toEqual(["trip", "JSON-RPC", "planner", "gpt", "book", "ask", "guide"]);
  expect(find(graph, "planner", "book")?.figures).toMatchObject({ calls: 2, errors: 1, ms: 40, inputTokens: null });
  expect(find(graph, "planner", "ask")?.figures).toMatchObject({ calls: 1, inputTokens: 5, costUsd: 0.25 });
  expect(find(graph, "trip", "planner")?.figures).toMatchObject({ calls: 1, inputTokens: 15, costUsd: 0.75 });
  expect(find(graph, "guide", "gpt")?.figures).toMatchObject({ calls: 1, inputTokens: 5 });
  expect(graph.nodes[3]?.figures).toMatchObject({ calls: 2, inputTokens: 15 });
  expect(graph.nodes[1]?.methods).toEqual(["tools/list"]);
  expect(isWorthDrawing(graph)).toBe(true);
});

test("calls that are inferred are told apart from those that were recorded", () => {
  const inferred = { what: "tool", name: "book", arguments: "{}", result: "", asking: "m", next: null } as const;
  const graph = graphOf([
    row("a", null, { kind: "agent", agent: "planner", durationMs: 90 }),
    row("t1", "a", { tool: "book" }),
    row("t2", "a", { tool: "book", inferred }),
    row("t3", "a", { tool: "book", inferred }),
  ]);
  expect(find(graph, "planner", "book")?.figures).toMatchObject({ calls: 3, inferred: 2 });
});

test("calls inside another call of the same callee count, but their time does not add up twice", () => {
  const graph = graphOf([
    row("a", null, { kind: "agent", agent: "triage", durationMs: 100 }),
    row("b", "a", { kind: "agent", agent: "billing", durationMs: 80 }),
    row("c", "b", { kind: "agent", agent: "triage", durationMs: 60 }),
    row("m", "c", { kind: "llm", model: "gpt", inputTokens: 7, costUsd: 1 }),
  ]);
  const triage = graph.nodes.find((node) => node.name === "triage");
  expect(triage?.figures).toMatchObject({ calls: 2, ms: 100, inputTokens: 7, costUsd: 1 });
  expect(find(graph, "billing", "triage")?.figures).toMatchObject({ calls: 1, ms: 60, inputTokens: 7 });
});

test("an agent that states its own tokens is not given those of its model calls again", () => {
  const graph = graphOf([
    row("a", null, { kind: "agent", agent: "a", inputTokens: 9 }),
    row("m", "a", { kind: "llm", model: "gpt", inputTokens: 9, outputTokens: 4 }),
  ]);
  expect(graph.nodes[0]?.figures).toMatchObject({ inputTokens: 9, outputTokens: 4 });
});

test("a call that several spans tell of is one call, with the figures and the name of the span that counts", () => {
  const llm = { kind: "llm", inputTokens: 7, costUsd: 1 } as const;
  const graph = graphOf([
    row("a", null, { kind: "agent", agent: "a" }),
    row("b", "a", { kind: "agent", agent: "a", foldedInto: "a" }),
    row("m", "b", llm),
    row("n", "m", { ...llm, foldedInto: "m" }),
    row("o", "b", { kind: "llm", name: "framework", foldedInto: "p" }),
    row("p", "o", { ...llm, model: "gpt" }),
    row("q", "o", { ...llm, model: "gpt" }),
  ]);
  expect(graph.nodes.map(({ name, figures }) => [name, figures.calls, figures.inputTokens, figures.costUsd])).toEqual([
    ["a", 1, 21, 3],
    ["m", 1, 7, 1],
    // The call inside the other one counts within it.
    ["gpt", 2, 14, 2],
  ]);
});

test("an agent that only its calls name is drawn", () => {
  const graph = graphOf([
    row("w", null, { kind: "workflow", name: "flow" }),
    row("m1", "w", { kind: "llm", model: "gpt", agent: "writer" }),
    row("m2", "w", { kind: "llm", model: "gpt", agent: "writer" }),
  ]);
  expect(find(graph, "flow", "writer")?.figures).toMatchObject({ calls: 1, ms: 20 });
  expect(find(graph, "writer", "gpt")?.figures.calls).toBe(2);
});

test("a model that a server asks for through the client is called by the tool", () => {
  const graph = graphOf([
    row("t", null, { tool: "summarise" }),
    row("r", "t", { kind: "rpc", name: "sampling/createMessage" }),
    row("m", "r", { kind: "llm", model: "gpt" }),
  ]);
  expect(find(graph, "summarise", "gpt")?.figures.calls).toBe(1);
});

test("a run without agents, models and tools is not worth drawing", () => {
  expect(isWorthDrawing(graphOf([row("a", null, { kind: "other" }), row("b", "a", { kind: "other" })]))).toBe(false);
  expect(isWorthDrawing(graphOf([]))).toBe(false);
});

test("the call to look at first is the first that failed", () => {
  const calls = callsOf(RUN).all.filter((call) => call.row.tool === "book");
  expect(firstToShow(calls)?.row.id).toBe("t1");
  expect(firstToShow([])).toBeNull();
});

test("names that are hostile as keys stay apart", () => {
  const names = ["__proto__", "constructor", "toString", "a\nb", ""];
  const graph = graphOf([
    row("a", null, { kind: "agent", agent: "__proto__" }),
    ...names.map((tool, at) => row(`t${at}`, "a", { tool })),
  ]);
  expect(graph.nodes.map((node) => node.name)).toEqual(["__proto__", ...names]);
  expect(graph.edges).toHaveLength(names.length);
});

function manyTools(count: number): SpanRow[] {
  const tools = [...Array(count).keys()].map((at) =>
    row(`t${at}`, "a", { tool: `tool ${at}`, durationMs: at, status: at === 1 ? "error" : "ok" }),
  );
  return [row("a", null, { kind: "agent", agent: "a" }), ...tools];
}

test("the least of many tools fold into one node that sums them up", () => {
  const graph = graphOf(manyTools(30));
  const folded = foldedGraph(graph, new Set(), graph.nodes.find((node) => node.name === "tool 2") ?? null);
  const fold = folded.nodes.find((node) => node.folded.length);
  expect(fold?.folded).toHaveLength(24);
  const names = folded.nodes.map((node) => node.name);
  expect(names).toContain("tool 1");
  expect(names).toContain("tool 2");
  expect(names).toContain("tool 29");
  const total = (edges: readonly { figures: { calls: number; ms: number } }[]) => [
    edges.reduce((sum, { figures }) => sum + figures.calls, 0),
    edges.reduce((sum, { figures }) => sum + figures.ms, 0),
  ];
  expect(total(folded.edges)).toEqual(total(graph.edges));
  expect([...folded.nodeOf.values()].filter((node) => node === fold)).toHaveLength(24);
  expect(foldedGraph(graph, new Set([fold?.id ?? ""]), null)).toBe(graph);
});

test("few tools stay as they are", () => {
  const graph = graphOf(manyTools(6));
  expect(foldedGraph(graph, new Set(), null)).toBe(graph);
});

test("10,000 calls are no trouble", () => {
  const rows = [row("a", null, { kind: "agent", agent: "a" })];
  for (let at = 0; at < 10_000; at++)
    rows.push(row(`t${at}`, at % 3 ? `t${at - 1}` : "a", { tool: `tool ${at % 500}` }));
  expect(foldedGraph(graphOf(rows), new Set(), null).nodes.length).toBeGreaterThan(100);
});
