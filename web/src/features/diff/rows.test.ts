import { expect, test } from "vitest";
import type { Diff, DiffStep } from "@/api/diff";
import { differing, initialStep, rowsOf, stepped } from "./rows";

function step(depth: number, ...differences: DiffStep["differences"]): DiffStep {
  return { a: null, b: null, depth, kind: "tool", name: "search", differences, changed: [], more: 0 };
}

const STEPS = [step(0), step(1), step(1), step(1, "answer"), step(0), step(1), step(0, "only a")];

test("equal calls are counted, and those around a difference show", () => {
  expect(rowsOf(STEPS, null, false)).toEqual([
    { kind: "call", step: 0 },
    { kind: "equal", step: 1, count: 2, depth: 1 },
    { kind: "call", step: 3 },
    { kind: "equal", step: 4, count: 2, depth: 0 },
    { kind: "call", step: 6 },
  ]);
});

test("the call that is looked at shows although it is equal", () => {
  expect(rowsOf(STEPS, 5, false).filter((row) => row.kind === "call")).toEqual(
    [0, 3, 4, 5, 6].map((place) => ({ kind: "call", step: place })),
  );
});

test("every call shows where all are wanted", () => {
  expect(rowsOf(STEPS, null, true)).toHaveLength(7);
});

test("differences are gone through around the end", () => {
  const places = differing(STEPS);
  expect(places).toEqual([3, 6]);
  expect([stepped(places, 0, 1), stepped(places, 3, 1), stepped(places, 6, 1)]).toEqual([3, 6, 3]);
  expect([stepped(places, 6, -1), stepped(places, 3, -1), stepped(places, 5, -1)]).toEqual([3, 6, 3]);
  expect(stepped([], 0, 1)).toBeNull();
});

test("the cause is looked at first, else where the runs diverge", () => {
  const diff = { cause: null, first: 3 } as Diff;
  expect(initialStep(diff)).toBe(3);
  expect(initialStep({ ...diff, cause: { kind: "input", step: 1, part: null, sentence: "" } })).toBe(1);
  expect(initialStep({ ...diff, first: null })).toBeNull();
});
