import { expect, test } from "vitest";
import answer from "./counted.test-data.json";
import { atOnce } from "./samples.test-data";
import { type OutlineWindow, rowsOf } from "./spans";
import { subtreeSteps } from "./subtrees";
import { totalsOf } from "./totals";
import { treeOf } from "./tree";

const subtreesOf = atOnce(subtreeSteps);

// What the API answered: a test of Python makes sure that it still does.
const rows = rowsOf(answer as unknown as OutlineWindow, () => answer.trace.trace_id);
const { trace } = answer;

test("the rows of a run add up to the sums that the API has of it", () => {
  expect(totalsOf(rows)).toMatchObject({
    status: trace.status,
    spans: trace.spans,
    calls: trace.calls,
    errors: trace.errors,
    llmCalls: trace.llm_calls,
    toolCalls: trace.tool_calls,
    inputTokens: trace.input_tokens,
    outputTokens: trace.output_tokens,
    cachedTokens: trace.cached_tokens,
    costUsd: trace.cost_usd,
    unpricedCalls: trace.unpriced_calls,
    models: trace.models,
  });
});

test("what is below the roots, with themselves, counts the same calls", () => {
  const tree = treeOf(rows);
  const below = subtreesOf(rows, tree);
  const roots = tree.order.filter((at) => tree.parent[at] === -1);
  const sum = (numbers: Int32Array | Float64Array) => roots.reduce((all, at) => all + (numbers[at] ?? 0), 0);
  const failed = roots.filter((at) => rows[at]?.status === "error").length;
  expect(sum(below.failedCalls) + failed).toBe(trace.errors);
  expect(sum(below.inputTokens)).toBe(trace.input_tokens);
});
