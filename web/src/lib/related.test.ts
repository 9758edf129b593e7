import { describe, expect, test } from "vitest";
import { agentAround, around, deepestFailure, descendantsOf, groupsOf, previousModelCall, sumsBelow } from "./related";
import type { SpanRow } from "./spans";

let clock = 0;
function row(id: string, parentId: string | null, changes: Partial<SpanRow> = {}): SpanRow {
  return {
    id,
    parentId,
    kind: "other",
    status: "ok",
    name: id,
    agent: null,
    model: null,
    tool: null,
    errorType: null,
    startMs: clock++,
    durationMs: 1,
    inputTokens: null,
    outputTokens: null,
    cachedTokens: null,
    costUsd: null,
    ...changes,
  };
}

const llm = { kind: "llm" } as const;
const agent = (name: string) => ({ kind: "agent", agent: name }) as const;

describe("around a span", () => {
  test("ancestors, children and neighbours", () => {
    const rows = [row("r", null), row("a", "r"), row("b", "r"), row("c", "r"), row("x", "b")];
    const found = around(rows, "b");
    expect(found.ancestors.map(({ id }) => id)).toEqual(["r"]);
    expect(found.children.map(({ id }) => id)).toEqual(["x"]);
    expect([found.previous?.id, found.next?.id]).toEqual(["a", "c"]);
    expect(around(rows, "nowhere").row).toBeNull();
  });

  test("cycles end", () => {
    const rows = [row("a", "b", llm), row("b", "a", llm), row("self", "self", llm)];
    expect(around(rows, "a").ancestors.map(({ id }) => id)).toEqual(["b"]);
    expect(around(rows, "self").ancestors).toEqual([]);
    expect(descendantsOf(rows, "a").map(({ id }) => id)).toEqual(["b"]);
    expect(previousModelCall(rows, "b")).toBeNull();
    expect(deepestFailure([row("f", "f", { status: "error" })], "f")).toBeNull();
  });
});

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
    expect(previousModelCall(rows, "l2")?.id).toBe("l1");
    expect(previousModelCall(rows, "g2")?.id).toBe("g1");
    expect(previousModelCall(rows, "g1")).toBeNull();
    expect(previousModelCall(rows, "l1")).toBeNull();
    expect(previousModelCall(rows, "tool")?.id).toBe("l1");
    expect(agentAround(around(rows, "g1"))?.id).toBe("guide");
  });

  test("is found in an earlier call of an agent of that name", () => {
    const rows = [
      row("root", null),
      row("one", "root", agent("guide")),
      row("l1", "one", llm),
      row("two", "root", agent("guide")),
      row("l2", "two", llm),
    ];
    expect(previousModelCall(rows, "l2")?.id).toBe("l1");
  });

  test("is never the same call recorded twice", () => {
    const rows = [row("root", null), row("outer", "root", llm), row("inner", "outer", llm), row("next", "root", llm)];
    expect(previousModelCall(rows, "inner")).toBeNull();
    expect(previousModelCall(rows, "next")?.id).toBe("outer");
  });
});

describe("sums", () => {
  test("calls of one name are one line that leads to the first that failed", () => {
    const rows = [
      row("a", "r", { name: "t", kind: "tool", durationMs: 5 }),
      row("b", "r", { name: "t", kind: "tool", durationMs: 7, status: "error" }),
      row("c", "r", { name: "t", kind: "llm", costUsd: 1 }),
    ];
    const [tools, models] = groupsOf(rows, 100);
    expect(tools).toMatchObject({ count: 2, totalMs: 12, errors: 1, costUsd: null });
    expect(tools?.first.id).toBe("b");
    expect(models).toMatchObject({ count: 1, costUsd: 1 });
  });

  test("what is below a call counts for it once", () => {
    const rows = [
      row("a", "r"),
      row("b", "a", { costUsd: 1, inputTokens: 5 }),
      row("c", "b", { costUsd: 2 }),
      row("d", "r"),
    ];
    const sums = sumsBelow(
      rows,
      [rows[0], rows[3]].filter((each) => each !== undefined),
    );
    expect(sums.get("a")).toEqual({ costUsd: 3, inputTokens: 5, outputTokens: null });
    expect(sums.get("d")).toEqual({ costUsd: null, inputTokens: null, outputTokens: null });
  });
});

test("a failure is followed to where it began", () => {
  const failed = { status: "error" } as const;
  const rows = [
    row("a", null, failed),
    row("ok", "a"),
    row("b", "a", failed),
    row("c", "b", failed),
    row("late", "a", failed),
  ];
  expect(deepestFailure(rows, "a")?.id).toBe("c");
  expect(deepestFailure(rows, "c")).toBeNull();
});

test("a model call of another agent is not the previous one, where agents have names but no spans", () => {
  const rows = [
    row("run", null),
    row("1", "run", { ...llm, agent: "planner" }),
    row("2", "run", { ...llm, agent: "critic" }),
    row("3", "run", { ...llm, agent: "planner" }),
  ];
  expect(previousModelCall(rows, "3")?.id).toBe("1");
});
