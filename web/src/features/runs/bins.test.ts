import { describe, expect, it } from "vitest";
import { unixNano } from "@/lib/samples.test-data";
import { binAt, binsOf, heightOf, rangeOf, sumOf } from "./bins";

const AT = 1_795_317_217_528;
const slice = (ms: number, count: number, errors = 0) => ({ start_time_unix_nano: unixNano(AT + ms), count, errors });

describe("binsOf", () => {
  it("joins the slices without a gap and gives the last one the width of the others", () => {
    const bins = binsOf([slice(0, 1), slice(100, 2, 1), slice(200, 0)]);
    expect(bins.map(({ fromMs, toMs }) => [fromMs - AT, toMs - AT])).toEqual([
      [0, 100],
      [100, 200],
      [200, 300],
    ]);
    expect(bins[1]).toMatchObject({ count: 2, errors: 1 });
  });

  it("shows one moment as one bin with everything in it", () => {
    const bins = binsOf([slice(0, 1, 1), slice(0.001, 0), slice(0.001, 2)]);
    expect(bins).toHaveLength(1);
    expect(bins[0]).toMatchObject({ count: 3, errors: 1 });
    expect(bins[0]?.toMs).toBeGreaterThan(bins[0]?.fromMs ?? 0);
  });

  it("has none without slices", () => expect(binsOf([])).toEqual([]));
});

describe("sumOf", () => {
  const bins = binsOf([slice(0, 1), slice(100, 2, 1), slice(200, 4)]);
  it("adds up in either direction", () => {
    expect(sumOf(bins, 2, 1)).toEqual(sumOf(bins, 1, 2));
    expect(sumOf(bins, 0, 2)).toMatchObject({ count: 7, errors: 1, fromMs: AT, toMs: AT + 300 });
  });
});

describe("rangeOf", () => {
  it("leaves nothing of a bin out", () => {
    const { since, until } = rangeOf({ fromMs: AT + 0.4, toMs: AT + 1.2, count: 1, errors: 0 });
    expect(Date.parse(since)).toBe(AT);
    expect(Date.parse(until)).toBe(AT + 2);
  });
});

describe("binAt", () => {
  it("stays inside", () => {
    expect([-1, 0, 0.499, 0.5, 1, 7].map((place) => binAt(place, 2))).toEqual([0, 0, 0, 1, 1, 1]);
  });
});

describe("heightOf", () => {
  it("shows one among a million, and nothing as nothing", () => {
    expect(heightOf(0, 1e6)).toBe(0);
    expect(heightOf(1, 1e6)).toBeGreaterThan(0.05);
    expect(heightOf(1e6, 1e6)).toBe(1);
    expect(heightOf(0, 0)).toBe(0);
  });
});
