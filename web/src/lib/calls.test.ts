import { expect, test } from "vitest";
import { calleeKind, calleeName, callsOf } from "./calls";
import { rowsInTurn } from "./samples.test-data";
import type { SpanRow } from "./spans";

const row = rowsInTurn(1, { durationMs: 1 });

test("a tool call that crosses a process border is one call", () => {
  const { roots, of } = callsOf([
    row("agent", null, { kind: "agent", agent: "planner" }),
    row("client", "agent", { tool: "weather" }),
    row("request", "client", { kind: "rpc", tool: "weather", name: "tools/call weather" }),
    row("server", "request", { tool: "weather" }),
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
    row("c", "b", { tool: "weather" }),
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
    row("n", "m", { kind: "llm" }),
  ]);
  expect(all.map((each) => each.row.id)).toEqual(["root", "p", "m"]);
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
