import { expect, test } from "vitest";
import answer from "@/lib/counted.test-data.json";
import { atOnce } from "@/lib/samples.test-data";
import { type OutlineWindow, rowsOf } from "@/lib/spans";
import { treeOf } from "@/lib/tree";
import { subtreeSteps } from "./subtrees";

const subtreesOf = atOnce(subtreeSteps);

// What the API answered: a test of Python makes sure that it still does.
const rows = rowsOf(answer as unknown as OutlineWindow, () => answer.trace.trace_id);
const { trace } = answer;

test("what is below the roots, with themselves, counts the same calls", () => {
  const tree = treeOf(rows);
  const below = subtreesOf(rows, tree);
  const roots = tree.order.filter((at) => tree.parent[at] === -1);
  const sum = (numbers: Int32Array | Float64Array) => roots.reduce((all, at) => all + (numbers[at] ?? 0), 0);
  const failed = roots.filter((at) => rows[at]?.status === "error").length;
  expect(sum(below.failedCalls) + failed).toBe(trace.errors);
  expect(sum(below.inputTokens)).toBe(trace.input_tokens);
});
