import { describe, expect, it } from "vitest";
import type { Figures } from "@/lib/figures";
import { cellsOf } from "./behind";

const FIGURES: Figures = {
  key: "gpt-4.1",
  count: 1200,
  errors: 3,
  p50_ms: 120,
  p95_ms: 2500,
  p99_ms: 9000,
  input_tokens: 10_000,
  output_tokens: 2000,
  cached_tokens: 500,
  cost_usd: 1.5,
  unpriced_calls: 2,
};

describe("the numbers of a row", () => {
  it("lead to what they count", () => {
    const filter = { since: "24h", model: "gpt-4.1" };
    const cells = cellsOf(FIGURES, filter);
    expect(cells.count).toMatchObject({ text: "1,200", search: filter });
    expect(cells.errors.search).toEqual({ ...filter, status: ["error"] });
    expect(cells.p95.search).toEqual({ ...filter, min_duration_ms: 2500, sort: "duration" });
    expect(cells.cost.search).toEqual({ ...filter, min_cost_usd: 0, sort: "cost" });
    expect(cells.cost.title).toBe("without 2 unpriced calls");
    expect(cells.tokens).toMatchObject({ text: "12k", title: "10,000 in (500 cached), 2,000 out" });
  });

  it("lead nowhere where there is nothing", () => {
    const none = {
      ...FIGURES,
      count: 0,
      errors: 0,
      p50_ms: null,
      p95_ms: null,
      input_tokens: 0,
      output_tokens: 0,
      cost_usd: null,
    };
    for (const cell of Object.values(cellsOf(none, {}))) expect(cell.search).toBeNull();
  });

  it("never lead to failures that the filter leaves out", () => {
    expect(cellsOf(FIGURES, { status: ["ok"] }).errors.search).toBeNull();
  });
});
