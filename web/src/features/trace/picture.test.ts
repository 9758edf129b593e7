import { expect, test } from "vitest";
import { randomRows, sampleRow } from "@/lib/samples.test-data";
import type { SpanRow } from "@/lib/spans";
import { finish } from "@/lib/steps";
import { treeOf } from "@/lib/tree";
import { pictureSteps, type Recorded } from "./picture";

function pictureOf(rows: readonly SpanRow[], over: Partial<Recorded> = {}) {
  return finish(pictureSteps({ rows, base: "0", turns: [], hide: "", once: false, pathMs: null, ...over }));
}

test("a picture is made of parts that each are short, however many rows there are", () => {
  const parts = (rows: SpanRow[]) =>
    [...pictureSteps({ rows, base: "0", turns: [], hide: "", once: false, pathMs: null })].length;
  // A part is 4096 rows of one of six passes.
  expect(parts(randomRows(1, 50_000))).toBeGreaterThan(parts(randomRows(1, 10)) + 6 * 11);
});

test("a picture counts calls, and apart from them what is a duplicate or inferred", () => {
  const inferred = { what: "conversation", turns: 2, retries: 0, unclear: 0, first: "b", last: "b" } as const;
  const tool = { what: "tool", name: "e", arguments: "{}", result: "no", asking: "b", next: null } as const;
  const picture = pictureOf([
    sampleRow("a", null, { kind: "agent", inferred }),
    sampleRow("b", "a", { kind: "llm", status: "running", durationMs: null, startMs: 1 }),
    sampleRow("c", "b", { kind: "llm", foldedInto: "b", startMs: 2 }),
    sampleRow("d", "a", { kind: "tool", status: "error", startMs: 3 }),
    sampleRow("e", "a", { kind: "tool", status: "error", startMs: 4, inferred: tool }),
  ]);
  expect([...picture.kinds]).toEqual([
    ["agent", { calls: 0, inferred: 1 }],
    ["llm", { calls: 1, inferred: 0 }],
    ["tool", { calls: 1, inferred: 1 }],
  ]);
  expect(picture).toMatchObject({ duplicates: 1, running: true, failures: [3, 4], levels: 2 });
  expect(picture.inferred).toEqual({ rows: 2, tools: 1, failures: 1 });
  expect(picture.open.map(({ id }) => id)).toEqual(["b"]);
});

test("what is hidden is left out of what shows, and stays in the whole", () => {
  const rows = [
    sampleRow("a", null, { kind: "agent" }),
    sampleRow("b", "a", { kind: "rpc", startMs: 1 }),
    sampleRow("c", "b", { kind: "tool", startMs: 2 }),
    sampleRow("d", "c", { kind: "tool", foldedInto: "c", startMs: 3 }),
  ];
  const shown = (over: Partial<Recorded>) => {
    const { shown, tree, levels } = pictureOf(rows, over);
    expect(tree.order).toHaveLength(4);
    return [[...shown.tree.order].map((at) => rows[at]?.id).join(""), levels];
  };
  expect(shown({})).toEqual(["abcd", 3]);
  expect(shown({ hide: "rpc" })).toEqual(["acd", 2]);
  expect(shown({ hide: "rpc,agent" })).toEqual(["cd", 1]);
  expect(shown({ once: true })).toEqual(["abc", 2]);
});

test("a picture that is made leaves its tree to all who ask for that of its rows", () => {
  const picture = pictureOf(randomRows(3, 20));
  expect(treeOf(picture.rows)).toBe(picture.tree);
});

test("the critical path of what runs goes until now, and is there only where it is asked for", () => {
  const rows = [sampleRow("a", null, { status: "running", durationMs: null })];
  expect(pictureOf(rows).path).toBeNull();
  expect(pictureOf(rows, { pathMs: 500 }).path?.own.get(0)).toEqual([0, 500]);
  const ended = [sampleRow("a", null, { durationMs: 70 })];
  expect(pictureOf(ended, { pathMs: 500 }).path?.own.get(0)).toEqual([0, 70]);
});
