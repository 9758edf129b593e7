import { expect, test } from "vitest";
import { type Call, calleeKind, calleeName, callSteps, countingRow, figureOf } from "./calls";
import { atOnce, rowsInTurn } from "./samples.test-data";
import type { SpanRow } from "./spans";

const callsOf = atOnce(callSteps);

const row = rowsInTurn(1, { durationMs: 1 });

test("a tool call that crosses a process border is one call", () => {
  const { roots, of } = callsOf([
    row("agent", null, { kind: "agent", agent: "planner" }),
    row("client", "agent", { tool: "weather" }),
    row("request", "client", { kind: "rpc", tool: "weather", name: "tools/call weather" }),
    row("server", "request", { tool: "weather", foldedInto: "client" }),
    row("inner", "server", { kind: "llm", model: "m" }),
  ]);
  const client = of.get("client");
  expect(roots).toHaveLength(1);
  expect(client?.echoes.map((each) => each.id)).toEqual(["request", "server"]);
  expect(of.get("server")).toBe(client);
  expect(client?.children.map((each) => each.row.id)).toEqual(["inner"]);
});

test("a tool name with its server's name before it is the same tool", () => {
  const { all } = callsOf([
    row("a", null, { tool: "travel_desk-weather" }),
    row("b", "a", { kind: "rpc", tool: "weather" }),
    row("c", "b", { tool: "weather", foldedInto: "a" }),
  ]);
  expect(all).toHaveLength(1);
});

test("a tool that calls another tool, or itself, makes a call of its own", () => {
  const rows = [
    row("a", null, { tool: "walk" }),
    row("b", "a", { tool: "walk" }),
    row("c", "a", { kind: "rpc", tool: "other" }),
    row("d", "c", { tool: "other" }),
  ];
  const { all } = callsOf(rows);
  expect(all.map((each) => each.row.id)).toEqual(["a", "b", "c"]);
  expect(calleeKind(rows[2] as SpanRow)).toBe("tool");
  expect(calleeName(rows[2] as SpanRow)).toBe("other");
});

test("a server's tool below a request that nobody recorded as a tool call is that call", () => {
  const { all } = callsOf([row("a", null, { kind: "rpc", tool: "x" }), row("b", "a", { tool: "x" })]);
  expect(all).toHaveLength(1);
});

test("a prompt and the request for it are one, and so is a model call that two libraries recorded", () => {
  const { all } = callsOf([
    row("root", null, { kind: "workflow" }),
    row("p", "root", { kind: "prompt", name: "prompts/get brief" }),
    row("r", "p", { kind: "rpc", name: "prompts/get brief" }),
    row("m", "root", { kind: "llm" }),
    row("n", "m", { kind: "llm", foldedInto: "m" }),
  ]);
  expect(all.map((each) => each.row.id)).toEqual(["root", "p", "m"]);
});

test("a request between two spans of one model call carried it, and what else it led to was called by that call", () => {
  const { all, of } = callsOf([
    row("m", null, { kind: "llm" }),
    row("r", "m", { kind: "rpc", name: "sampling/createMessage" }),
    row("n", "r", { kind: "llm", foldedInto: "m" }),
    row("t", "r", { tool: "x" }),
    row("u", "n", { tool: "y" }),
  ]);
  expect(all.map((each) => each.row.id)).toEqual(["m", "u", "t"]);
  expect(["r", "n"].map((id) => of.get(id)?.row.id)).toEqual(["m", "m"]);
  expect([of.get("t"), of.get("u")].map((call) => call?.parent?.row.id)).toEqual(["m", "m"]);
});

test("a span above the one that counts is seen by the caller, and figures are of the one that counts", () => {
  const { all, roots } = callsOf([
    row("framework", null, { kind: "llm", foldedInto: "sdk", costUsd: 9 }),
    row("sdk", "framework", { kind: "llm", model: "gpt", inputTokens: 7 }),
    row("again", "framework", { kind: "llm", model: "gpt", inputTokens: 5 }),
  ]);
  expect(all.map((each) => each.row.id)).toEqual(["framework", "again"]);
  const call = roots[0] as Call;
  expect(countingRow(call).id).toBe("sdk");
  expect([figureOf(call, "inputTokens"), figureOf(call, "costUsd")]).toEqual([7, null]);
});

test("a span whose counting one is not here yet is a call without figures", () => {
  const { roots } = callsOf([row("n", "gone", { kind: "llm", foldedInto: "gone", inputTokens: 7 })]);
  expect(roots.map((each) => each.row.id)).toEqual(["n"]);
  expect(figureOf(roots[0] as Call, "inputTokens")).toBeNull();
});

test("agents that tell of one call are one, and what the inner one calls is called by it", () => {
  const { all } = callsOf([
    row("a", null, { kind: "agent", agent: "x" }),
    row("b", "a", { kind: "agent", agent: "x", foldedInto: "a" }),
    row("t", "b", { tool: "y" }),
  ]);
  expect(all.map((each) => [each.row.id, each.parent?.row.id])).toEqual([
    ["a", undefined],
    ["t", "a"],
  ]);
});

test("spans between calls belong to the call around them and hide nothing below", () => {
  const { of } = callsOf([
    row("root", null, { kind: "agent", agent: "a" }),
    row("between", "root", { kind: "other" }),
    row("t", "between", { tool: "x" }),
  ]);
  expect(of.get("between")).toBe(of.get("root"));
  expect(of.get("t")?.parent).toBe(of.get("root"));
  expect(of.get("t")?.agent).toBe("a");
});

test("a child that seems to begin before its parent, an orphan and a circle are all told", () => {
  const rows = [
    row("child", "late", { tool: "x" }),
    row("late", null, { kind: "agent", agent: "a" }),
    row("orphan", "nowhere", { tool: "y" }),
    row("c1", "c2", { kind: "agent" }),
    row("c2", "c1", { kind: "agent" }),
  ];
  const { of, all } = callsOf(rows);
  expect(all).toHaveLength(5);
  expect(of.get("child")?.parent?.row.id).toBe("late");
  expect(rows.every((each) => of.has(each.id))).toBe(true);
});

test("names that are hostile as keys are names", () => {
  const rows = ["__proto__", "constructor", ""].map((name, i) => row(`s${i}`, null, { tool: name }));
  expect(callsOf(rows).all.map((each) => calleeName(each.row))).toEqual(["__proto__", "constructor", ""]);
});

test("random forests: every span belongs to a call, every call is reached once", () => {
  const kinds = ["workflow", "agent", "llm", "tool", "rpc", "resource", "prompt", "other"] as const;
  for (let seed = 1; seed < 30; seed++) {
    let state = seed * 7919;
    const random = (below: number) => {
      state = (state * 48271) % 2147483647;
      return state % below;
    };
    const rows = [...Array(80).keys()].map((i) =>
      row(`s${i}`, random(6) === 0 ? null : `s${random(80)}`, {
        kind: kinds[random(8)] ?? "other",
        foldedInto: random(3) === 0 ? `s${random(90)}` : null,
        tool: ["x", "y", null][random(3)] ?? null,
      }),
    );
    const { roots, of, all } = callsOf(rows);
    expect(of.size).toBe(rows.length);
    const reached: string[] = [];
    const waiting = [...roots];
    for (let call = waiting.pop(); call; call = waiting.pop()) {
      reached.push(call.row.id, ...call.echoes.map((each) => each.id));
      waiting.push(...call.children);
    }
    expect(new Set(reached).size).toBe(reached.length);
    expect(all.reduce((sum, call) => sum + 1 + call.echoes.length, 0)).toBe(reached.length);
  }
});
