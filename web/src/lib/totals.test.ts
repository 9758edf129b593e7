import { describe, expect, it } from "vitest";
import { sampleRow } from "./sample-rows";
import { totalsOf } from "./totals";

describe("totalsOf", () => {
  it("adds up what is known", () => {
    const rows = [
      sampleRow("a", null, {
        kind: "llm",
        model: "m2",
        inputTokens: 10,
        cachedTokens: 4,
        outputTokens: 2,
        costUsd: 0.5,
      }),
      sampleRow("b", null, { kind: "llm", model: "m1", inputTokens: 5, costUsd: 0.25, status: "error" }),
      sampleRow("c", null, { status: "running" }),
    ];
    expect(totalsOf(rows)).toEqual({
      spans: 3,
      errors: 1,
      running: 1,
      llmCalls: 2,
      toolCalls: 1,
      inputTokens: 15,
      outputTokens: 2,
      cachedTokens: 4,
      costUsd: 0.75,
      models: ["m2", "m1"],
    });
  });

  it("knows no cost where no row does", () => {
    expect(totalsOf([sampleRow("a")]).costUsd).toBeNull();
  });
});
