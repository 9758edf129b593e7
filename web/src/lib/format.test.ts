import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ago, bytes, compact, dollars, duration, moment, percent, plural } from "./format";

/** Values that the pages and the CLI must format alike; `tests/cli/test_figures.py` reads it too. */
const alike: Record<"durations_ms" | "dollars" | "bytes", [number, string][]> & { moments: string[] } = JSON.parse(
  readFileSync(new URL("../../../tests/figures.json", import.meta.url), "utf8"),
);

describe("figures that the command line writes too", () => {
  it.each(alike.durations_ms)("shows %s ms as %s", (ms, text) => {
    expect(duration(ms)).toBe(text);
  });

  it.each(alike.dollars)("shows %s dollars as %s", (value, text) => {
    expect(dollars(value)).toBe(text);
  });

  it.each(alike.bytes)("shows %s bytes as %s", (value, text) => {
    expect(bytes(value)).toBe(text);
  });

  it.each(alike.moments)("shows the moment %s so", (text) => {
    expect(moment(new Date(text.replace(" ", "T")).getTime())).toBe(text);
  });

  it("marks what is not known", () => {
    expect([duration(null), dollars(undefined)]).toEqual(["–", "–"]);
  });
});

describe("numbers", () => {
  it("keeps counts below a thousand whole and shortens the others", () => {
    expect([0, 950, 4857, 12_000_000].map(compact)).toEqual(["0", "950", "4.9k", "12M"]);
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
