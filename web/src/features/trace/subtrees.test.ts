import { describe, expect, it } from "vitest";
import { atOnce, randomRows, sampleRow } from "@/lib/samples.test-data";
import { hasFailed } from "@/lib/spans";
import { ancestorsOf, treeOf } from "@/lib/tree";
import { failuresOf, readableDepth, subtreeSteps } from "./subtrees";

const subtreesOf = atOnce(subtreeSteps);

const row = sampleRow;

describe("subtreesOf", () => {
  it("counts for each row what a walk from every other row up to it finds", () => {
    for (let seed = 0; seed < 30; seed++) {
      const rows = randomRows(seed, 60).map((each, at) => (at % 3 ? each : { ...each, foldedInto: "s1" }));
      const tree = treeOf(rows);
      const below = subtreesOf(rows, tree);
      const spans = rows.map(() => 0);
      const failures = rows.map(() => 0);
      const tokens = rows.map(() => 0);
      const costs = rows.map(() => Number.NaN);
      rows.forEach((each, at) => {
        for (const above of ancestorsOf(tree, at)) {
          spans[above] = (spans[above] ?? 0) + 1;
          if (hasFailed(each)) failures[above] = (failures[above] ?? 0) + 1;
          if (each.foldedInto !== null) continue;
          tokens[above] = (tokens[above] ?? 0) + (each.inputTokens ?? 0);
          const before = costs[above] ?? 0;
          if (each.costUsd !== null) costs[above] = (Number.isNaN(before) ? 0 : before) + each.costUsd;
        }
      });
      expect([...below.spans]).toEqual(spans);
      expect([...below.failures]).toEqual(failures);
      expect([...below.inputTokens]).toEqual(tokens);
      below.costUsd.forEach((cost, at) => {
        if (Number.isNaN(costs[at])) expect(cost).toBeNaN();
        else expect(cost).toBeCloseTo(costs[at] as number, 9);
      });
    }
  });
});

it("counts lost calls among failed ones, and by themselves", () => {
  const lost = { status: "lost" } as const;
  const rows = [row("run"), row("a", "run", lost), row("b", "run", { status: "error" }), row("c", "b", lost)];
  const { failedCalls, lostCalls } = subtreesOf(rows, treeOf(rows));
  expect([failedCalls[0], lostCalls[0]]).toEqual([3, 2]);
});

describe("failuresOf", () => {
  function failures(...rows: ReturnType<typeof row>[]) {
    return failuresOf(rows, subtreesOf(rows, treeOf(rows))).map((at) => rows[at]?.id);
  }

  it("tells an error that travelled up once, at the span where it began", () => {
    const error = { status: "error" } as const;
    expect(
      failures(row("run", null, error), row("agent", "run", error), row("tool", "agent", error), row("chat", "agent")),
    ).toEqual(["tool"]);
  });

  it("counts what was lost, and not what was cancelled or abandoned", () => {
    expect(
      failures(
        row("run"),
        row("lost", "run", { status: "lost" }),
        row("cancelled", "run", { status: "cancelled" }),
        row("abandoned", "run", { status: "abandoned" }),
      ),
    ).toEqual(["lost"]);
  });

  it("names the call that counts, and neither duplicate below it nor above it", () => {
    const error = { status: "error" } as const;
    const into = (foldedInto: string) => ({ ...error, foldedInto });
    expect(
      failures(
        row("run"),
        row("tool", "run", error),
        row("request", "tool", into("tool")),
        row("server", "request", into("tool")),
        row("framework", "run", into("provider")),
        row("provider", "framework", error),
      ),
    ).toEqual(["tool", "provider"]);
  });

  it("begins with the one that began first", () => {
    const error = { status: "error" } as const;
    expect(failures(row("run"), row("a", "run", error), row("b", "run", error))).toEqual(["a", "b"]);
  });
});

describe("readableDepth", () => {
  const wide = [row("run"), ...[...Array(50).keys()].flatMap((at) => [row(`a${at}`, "run"), row(`b${at}`, `a${at}`)])];

  it("opens as many levels as there is room for", () => {
    expect(readableDepth(treeOf(wide), 60)).toBe(1);
    expect(readableDepth(treeOf(wide), 200)).toBe(3);
  });

  it("opens the roots even when that is too much already", () => {
    expect(readableDepth(treeOf(wide), 10)).toBe(1);
    expect(readableDepth(treeOf([...Array(50).keys()].map((at) => row(`r${at}`))), 10)).toBe(1);
  });
});
