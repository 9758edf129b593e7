import { describe, expect, test } from "vitest";
import { type Call, calleeKind, callSteps } from "./calls";
import { previousModelCall } from "./previous-call";
import { atOnce, randomConversations, rowsInTurn, sampleRow } from "./samples.test-data";
import type { SpanRow } from "./spans";

const callsOf = atOnce(callSteps);
// A fifth of the time of all tests: `make test` leaves it out.
const slow = test.skipIf(process.env.INSPECTOR_TEST_FEW);

const row = rowsInTurn(1, { kind: "other", durationMs: 1 });
const llm = { kind: "llm" } as const;
const agent = (name: string) => ({ kind: "agent", agent: name }) as const;
const callBefore = (rows: readonly SpanRow[], id: string) => previousModelCall(rows, id)?.id ?? null;

describe("the model call before", () => {
  test("is that of the same call of the agent, not of one in between", () => {
    const rows = [
      row("root", null),
      row("planner", "root", agent("planner")),
      row("l1", "planner", llm),
      row("tool", "planner", { kind: "tool" }),
      row("guide", "tool", agent("guide")),
      row("g1", "guide", llm),
      row("g2", "guide", llm),
      row("l2", "planner", llm),
    ];
    expect(callBefore(rows, "l2")).toBe("l1");
    expect(callBefore(rows, "g2")).toBe("g1");
    expect(callBefore(rows, "g1")).toBeNull();
    expect(callBefore(rows, "l1")).toBeNull();
    expect(callBefore(rows, "tool")).toBe("l1");
  });

  test("is found in an earlier call of an agent of that name", () => {
    const rows = [
      row("root", null),
      row("one", "root", agent("guide")),
      row("l1", "one", llm),
      row("two", "root", agent("guide")),
      row("l2", "two", llm),
    ];
    expect(callBefore(rows, "l2")).toBe("l1");
  });

  test("is not that of another agent, where agents have names but no spans", () => {
    const rows = [
      row("run", null, { kind: "workflow" }),
      row("1", "run", { ...llm, agent: "planner" }),
      row("2", "run", { ...llm, agent: "critic" }),
      row("3", "run", { ...llm, agent: "planner" }),
    ];
    expect(callBefore(rows, "3")).toBe("1");
    expect(callBefore(rows, "2")).toBeNull();
  });

  test("had ended: calls at the same time do not know each other, in one call of an agent or in two", () => {
    const at = (id: string, parent: string, startMs: number, durationMs: number | null) =>
      sampleRow(id, parent, { ...llm, startMs, durationMs, status: durationMs === null ? "running" : "ok" });
    const inOne = [
      sampleRow("a", null, { ...agent("x"), durationMs: 500 }),
      at("first", "a", 10, 10),
      at("left", "a", 20, 100),
      at("right", "a", 30, null),
      at("next", "a", 120.5, 10),
    ];
    expect(["left", "right", "next"].map((id) => callBefore(inOne, id))).toEqual(["first", "first", "left"]);
    const inTwo = [
      sampleRow("a", null, { ...agent("x"), durationMs: 500 }),
      at("a1", "a", 5, 10),
      sampleRow("b", null, { ...agent("x"), startMs: 10, durationMs: 500 }),
      at("b1", "b", 20, 10),
    ];
    expect(callBefore(inTwo, "b1")).toBeNull();
  });

  test("is never the same call recorded twice", () => {
    const rows = [
      row("root", null),
      row("outer", "root", llm),
      row("between", "outer"),
      row("inner", "between", { ...llm, foldedInto: "outer" }),
      row("next", "root", llm),
    ];
    expect(callBefore(rows, "inner")).toBeNull();
    expect(callBefore(rows, "next")).toBe("outer");
  });

  test("is not what a tool asked a model in between, and what a tool asks is a conversation of its own", () => {
    const rows = [
      row("a", null, { ...agent("x"), durationMs: 100 }),
      row("m1", "a", llm),
      row("t", "a", { kind: "tool", tool: "t", durationMs: 10 }),
      row("request", "t", { kind: "rpc", tool: "t" }),
      row("server", "request", { kind: "tool", tool: "t" }),
      row("s1", "server", llm),
      row("inner", "server", { kind: "tool", tool: "inner" }),
      row("s2", "server", llm),
      row("m2", "a", llm),
    ];
    expect(callBefore(rows, "m2")).toBe("m1");
    expect(callBefore(rows, "s1")).toBeNull();
    expect(callBefore(rows, "s2")).toBe("s1");
    expect(callBefore(rows, "inner")).toBe("s1");
    expect(callBefore(rows, "server")).toBe("m1");
  });

  test("circles and spans that are not here have none", () => {
    const long = { ...llm, durationMs: 100 };
    const rows = [row("a", "b", long), row("b", "a", long), row("self", "self", long)];
    expect(callBefore(rows, "b")).toBeNull();
    expect(callBefore(rows, "nowhere")).toBeNull();
    expect(callBefore([], "nowhere")).toBeNull();
  });

  slow("a hundred thousand calls at the same time, and as many one inside the other, are looked through", () => {
    const wide = [...Array(100_000).keys()].map((at) => sampleRow(`s${at}`, null, { ...llm, durationMs: 1e6 }));
    expect(wide.every(({ id }) => callBefore(wide, id) === null)).toBe(true);
    const kinds = ["other", "llm", "tool"] as const;
    const deep = wide.map((each, at) => ({ ...each, kind: kinds[at % 3] ?? "other", parentId: `s${at - 1}` }));
    expect(callBefore(deep, "s99997")).toBeNull();
  });
});

test("random runs: it is the latest that had ended in the same thread and hands, which looking at every pair shows", () => {
  let found = 0;
  for (let seed = 1; seed <= 60; seed++) {
    const rows = randomConversations(seed);
    const models = callsOf(rows).all.filter((call) => call.row.kind === "llm");
    const place = new Map(rows.map(({ id }, at) => [id, at]));
    const at = (id: string | null) => place.get(id ?? "") ?? -1;
    for (const own of models) {
      const before = models.filter((other) => at(other.row.id) < at(own.row.id) && nameOf(other) === nameOf(own));
      const last = (slackMs: number) =>
        before.filter((other) => threadOf(other) === threadOf(own) && endOf(other.row) <= own.row.startMs + slackMs);
      const told = at(callBefore(rows, own.row.id));
      expect(told).toBeGreaterThanOrEqual(Math.max(-1, ...last(0).map((other) => at(other.row.id))));
      if (told < 0) continue;
      found++;
      const isNear = last(1).some((other) => at(other.row.id) === told);
      const isNamed = nameOf(own) !== null && before.some((other) => at(other.row.id) === told);
      expect(isNear || isNamed).toBe(true);
      expect(endOf(rows[told] as SpanRow)).toBeLessThanOrEqual(own.row.startMs + 1);
    }
  }
  expect(found).toBeGreaterThan(100);
});

const FETCHED = new Set(["tool", "resource", "prompt"]);

/** The call that contains a call, skipping those that only carry it. */
function threadOf(call: Call): Call | null {
  let above = call.parent;
  const isThread = (kind: string) => FETCHED.has(kind) || kind === "agent" || kind === "workflow";
  while (above && !isThread(calleeKind(above.row))) above = above.parent;
  return above;
}

function nameOf(call: Call): string | null {
  for (let at = call; ; ) {
    if (at.row.agent !== null) return at.row.agent;
    if (at.row.kind === "agent") return at.row.name;
    if (!at.parent || FETCHED.has(calleeKind(at.parent.row))) return null;
    at = at.parent;
  }
}

function endOf({ startMs, durationMs, status }: SpanRow): number {
  if (durationMs === null && status === "running") return Number.POSITIVE_INFINITY;
  return startMs + Math.max(0, durationMs ?? 0);
}
