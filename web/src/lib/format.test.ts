import { describe, expect, it } from "vitest";
import { ago, bytes, compact, dollars, duration, percent, plural } from "./format";

describe("duration", () => {
  it.each([
    [null, "–"],
    [0, "0 ms"],
    [0.0004, "<1 µs"],
    [0.42, "420 µs"],
    [0.9997, "1.00 ms"],
    [3.456, "3.46 ms"],
    [42.34, "42.3 ms"],
    [840.4, "840 ms"],
    [999.6, "1.00 s"],
    [1930, "1.93 s"],
    [59_949, "59.9 s"],
    [59_960, "1 m 00 s"],
    [125_000, "2 m 05 s"],
    [3_599_600, "1 h 00 m"],
    [12_000_000, "3 h 20 m"],
    [400 * 86_400_000, "400 d"],
    [-12.5, "−12.5 ms"],
  ])("shows %s ms as %s", (ms, text) => {
    expect(duration(ms)).toBe(text);
  });
});

describe("numbers", () => {
  it("keeps counts below a thousand whole and shortens the others", () => {
    expect([0, 950, 4857, 12_000_000].map(compact)).toEqual(["0", "950", "4.9k", "12M"]);
  });

  it("shows small costs with the digits that count", () => {
    expect([null, 0, 0.00004, 0.007, 0.99997, -0.5, 1.254, 1204].map(dollars)).toEqual([
      "–",
      "$0",
      "<$0.0001",
      "$0.0070",
      "$1.00",
      "−$0.5000",
      "$1.25",
      "$1,204.00",
    ]);
  });

  it("names the unit of a size", () => {
    expect([812, 3400, 99_960, 2_100_000, 7.5e9].map(bytes)).toEqual(["812 B", "3.4 kB", "100 kB", "2.1 MB", "7.5 GB"]);
  });

  it("never rounds something down to nothing, nor up to all", () => {
    expect(percent(0.004)).toBe("<1 %");
    expect(percent(0)).toBe("0 %");
    expect(percent(0.9999)).toBe(">99 %");
    expect(percent(1)).toBe("100 %");
  });

  it("counts one thing in the singular", () => {
    expect([plural(1, "error"), plural(2, "error"), plural(0, "run")]).toEqual(["1 error", "2 errors", "0 runs"]);
  });
});

describe("ago", () => {
  it.each([
    [2_000, "now"],
    [40_000, "40 s ago"],
    [5 * 60_000, "5 m ago"],
    [3 * 3_600_000, "3 h ago"],
    [2 * 86_400_000, "2 d ago"],
  ])("calls %s ms back %s", (back, text) => {
    const now = Date.UTC(2026, 10, 22);
    expect(ago(now - back, now)).toBe(text);
  });
});
