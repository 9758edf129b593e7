import { describe, expect, test } from "vitest";
import { fullSpan } from "@/lib/full-span";
import { usageOf } from "./usage";

describe("usage", () => {
  const span = (changes: object) =>
    fullSpan({
      duration_ms: 1000,
      input_tokens: 900,
      output_tokens: 100,
      cached_tokens: 600,
      cost_usd: 0.01,
      ...changes,
    });

  test("is told with what is part of what", () => {
    const usage = usageOf(span({ attributes: { "gen_ai.response.time_to_first_chunk": 0.5 } }));
    expect(usage).toMatchObject({
      total: 1000,
      cacheRead: 600,
      costPerThousand: 0.01,
      firstMs: 500,
      tokensPerSecond: 200,
    });
  });

  test("says nothing where nothing is known", () => {
    const unknown = { input_tokens: null, output_tokens: null, cached_tokens: null, cost_usd: null, duration_ms: null };
    expect(usageOf(span(unknown))).toMatchObject({ total: null, costPerThousand: null, tokensPerSecond: null });
    expect(usageOf(span({ cost_usd: 0, input_tokens: 0, output_tokens: 0 })).costPerThousand).toBeNull();
  });
});
