import { expect, test } from "vitest";
import answer from "./counted.test-data.json";
import { type OutlineWindow, rowsOf } from "./spans";
import { totalsOf } from "./totals";

// An answer of the API: a Python test makes sure that it is up to date.
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
