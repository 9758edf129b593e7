import { describe, expect, test } from "vitest";
import { rowsInTurn } from "@/lib/samples.test-data";
import { agentAround, around, calledBy, descendantsOf, groupsOf, sumsBelow } from "./related";

const row = rowsInTurn(1, { kind: "other", durationMs: 1 });

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

  test("the agent around it is the innermost one, and not itself", () => {
    const rows = [row("a", null, agent("x")), row("t", "a"), row("g", "t", agent("y")), row("u", "g")];
    expect(["u", "g", "a"].map((id) => agentAround(around(rows, id))?.id)).toEqual(["g", "a", undefined]);
  });

  test("cycles end", () => {
    const rows = [row("a", "b", llm), row("b", "a", llm), row("self", "self", llm)];
    // The tree cuts a cycle at its beginning, as the waterfall shows it.
    expect(around(rows, "a").ancestors).toEqual([]);
    expect(around(rows, "b").ancestors.map(({ id }) => id)).toEqual(["a"]);
    expect(around(rows, "self").ancestors).toEqual([]);
    expect(descendantsOf(rows, "a").map(({ id }) => id)).toEqual(["b"]);
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

  test("what is inferred is apart from what was recorded under the same name", () => {
    const inferred = { what: "tool", name: "t", arguments: "{}", result: "", asking: "m", next: null } as const;
    const rows = [row("a", "r", { name: "t" }), row("b", "r", { name: "t", inferred }), row("c", "r", { name: "t" })];
    expect(groupsOf(rows, 100)).toMatchObject([
      { inferred: false, count: 2 },
      { inferred: true, count: 1 },
    ]);
  });

  test("calls without a price are counted beside the cost of the others", () => {
    const rows = [row("a", "r", { ...llm, name: "m", costUsd: 1 }), row("b", "r", { ...llm, name: "m" })];
    expect(groupsOf(rows, 100)).toMatchObject([{ costUsd: 1, unpricedCalls: 1 }]);
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
    expect(sums.get("a")).toEqual({ costUsd: 3, inputTokens: 5, outputTokens: null, unpricedCalls: 0 });
    expect(sums.get("d")).toEqual({ costUsd: null, inputTokens: null, outputTokens: null, unpricedCalls: 0 });
  });
});

describe("a call that several spans tell of", () => {
  const rows = [
    row("a", null, agent("x")),
    row("b", "a", { ...agent("x"), foldedInto: "a" }),
    row("m", "b", { ...llm, inputTokens: 5, costUsd: 1 }),
    row("n", "m", { ...llm, inputTokens: 5, costUsd: 1, foldedInto: "m" }),
    row("o", "b", { ...llm, foldedInto: "p" }),
    row("p", "o", { ...llm, inputTokens: 3 }),
  ];
  const ids = (found: readonly { id: string }[]) => found.map(({ id }) => id);

  test("is listed once, wherever the span that counts stands", () => {
    expect(ids(calledBy(rows, "a"))).toEqual(["m", "p"]);
    expect(ids(calledBy(rows, "b"))).toEqual(["m", "p"]);
    expect(ids(descendantsOf(rows, "a"))).toEqual(["m", "p"]);
    expect(calledBy(rows, "nowhere")).toEqual([]);
  });

  test("is summed up once", () => {
    expect(sumsBelow(rows, rows.slice(0, 1)).get("a")).toEqual({
      inputTokens: 8,
      outputTokens: null,
      costUsd: 1,
      unpricedCalls: 1,
    });
  });
});
