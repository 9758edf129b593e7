import { describe, expect, it } from "vitest";
import {
  type Figures,
  failedOf,
  narrowedTo,
  pricedOf,
  rankedFigures,
  sliceLabel,
  slicesOf,
  slowerThan,
  topOf,
} from "./figures";
import { unixNano } from "./samples.test-data";

function figures(key: string | null, changes: Partial<Figures> = {}): Figures {
  return {
    key,
    count: 1,
    errors: 0,
    p50_ms: null,
    p95_ms: null,
    p99_ms: null,
    input_tokens: 0,
    output_tokens: 0,
    cached_tokens: 0,
    cost_usd: null,
    unpriced_calls: 0,
    ...changes,
  };
}

const keys = (rows: Figures[]) => rows.map(({ key }) => key);

describe("ranking figures", () => {
  const rows = [figures("a", { p95_ms: 5 }), figures("b", { count: 3 }), figures("c", { p95_ms: 9, count: 2 })];

  it("puts the largest first, or the smallest", () => {
    expect(keys(rankedFigures(rows, "count", "desc"))).toEqual(["b", "c", "a"]);
    expect(keys(rankedFigures(rows, "count", "asc"))).toEqual(["a", "c", "b"]);
  });

  it("puts what is unknown last either way", () => {
    expect(keys(rankedFigures(rows, "p95", "desc"))).toEqual(["c", "a", "b"]);
    expect(keys(rankedFigures(rows, "p95", "asc"))).toEqual(["a", "c", "b"]);
  });

  it("tells equals apart by count, then by name, and leaves the given rows alone", () => {
    const equal = [figures("z"), figures("y"), figures("x", { count: 2 })];
    expect(keys(rankedFigures(equal, "errors", "desc"))).toEqual(["x", "y", "z"]);
    expect(keys(equal)).toEqual(["z", "y", "x"]);
  });
});

describe("the events behind a figure", () => {
  it("have the value of the row, on top of the filter", () => {
    expect(narrowedTo({ since: "24h", kind: ["llm", "tool"] }, "kind", "tool")).toEqual({
      since: "24h",
      kind: ["tool"],
    });
    expect(narrowedTo({ q: "x" }, "error_type", "ValueError")).toEqual({ q: "x", error_type: "ValueError" });
  });

  it("are none where the filter leaves no failures", () => {
    expect(failedOf({ status: ["ok"] })).toBeNull();
    expect(failedOf({ status: ["ok", "error"], tool: "t" })).toEqual({ status: ["error"], tool: "t" });
  });

  it("never widen the filter", () => {
    expect(slowerThan({ min_duration_ms: 50 }, 20)).toEqual({ min_duration_ms: 50 });
    expect(slowerThan({}, 20.5)).toEqual({ min_duration_ms: 20.5 });
    expect(pricedOf({ min_cost_usd: 0.5 })).toEqual({ min_cost_usd: 0.5 });
    expect(pricedOf({})).toEqual({ min_cost_usd: 0 });
  });
});

describe("slices of time", () => {
  it("touch each other, and the last one is closed", () => {
    expect(slicesOf(["100", "110", "120"])).toEqual([
      { since: "100", until: "110" },
      { since: "110", until: "120" },
      { since: "120", until: "131" },
    ]);
    expect(slicesOf([])).toEqual([]);
    expect(slicesOf(["5"])).toEqual([{ since: "5", until: "6" }]);
  });

  it("hold every moment once, down to the nanosecond, as the API cuts them", () => {
    for (let round = 0; round < 50; round++) {
      const count = 1 + Math.floor(Math.random() * 60);
      const first = 1_700_000_000_000_000_000n + BigInt(Math.floor(Math.random() * 1e9));
      const end = first + 1n + BigInt(Math.floor(Math.random() * 10 ** (1 + Math.floor(Math.random() * 14))));
      const width = end - first;
      const n = BigInt(count);
      const starts = Array.from({ length: count }, (_, at) => String(first + (BigInt(at) * width + n - 1n) / n));
      const slices = slicesOf(starts);
      expect(slices[0]?.since).toBe(String(first));
      if (count > 1) expect(BigInt(slices.at(-1)?.until ?? 0)).toBeGreaterThanOrEqual(end);
      slices.slice(1).forEach((slice, at) => {
        expect(slice.since).toBe(slices[at]?.until);
      });
    }
  });

  it("are told apart by as much of the time as it takes", () => {
    const at = (hours: number, ms: number) => unixNano(new Date(2026, 10, 22, hours, 0, 0, ms).getTime());
    const now = new Date(2026, 10, 22, 20).getTime();
    expect(sliceLabel({ since: at(14, 0), until: at(15, 0) }, now)).toBe("14:00 – 15:00");
    expect(sliceLabel({ since: at(14, 0), until: at(14, 20) }, now)).toBe("14:00:00.000 – 14:00:00.020");
    expect(sliceLabel({ since: at(14, 0), until: at(14, 5000) }, now)).toBe("14:00:00 – 14:00:05");
    expect(sliceLabel({ since: at(14, 0), until: at(38, 0) }, now)).toBe("11-22 14:00 – 11-23 14:00");
  });
});

describe("the top of an axis", () => {
  it("is a round number that everything stays below", () => {
    expect(topOf([3, null, 17])).toBe(20);
    expect(topOf([100])).toBe(100);
    expect(topOf([0.00234])).toBeCloseTo(0.003);
    expect(topOf([])).toBe(1);
    expect(topOf([0, null])).toBe(1);
    for (let round = 0; round < 200; round++) {
      const value = Math.random() * 10 ** (Math.random() * 20 - 6);
      expect(topOf([value])).toBeGreaterThanOrEqual(value * (1 - 1e-9));
      expect(topOf([value])).toBeLessThanOrEqual(value * 1.67);
    }
  });
});
