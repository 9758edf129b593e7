import { describe, expect, it } from "vitest";
import { randomFrom, sampleRow } from "@/lib/samples.test-data";
import {
  between,
  isWhole,
  placeOf,
  readRange,
  scaled,
  shareOf,
  shifted,
  ticksOf,
  wholeOf,
  within,
  writeRange,
} from "./time-scale";

const WHOLE = { from: 0, to: 1000 };

describe("wholeOf", () => {
  it("reaches from the first start to the last end, and to now for what runs", () => {
    const rows = [sampleRow("a", null, { startMs: -5 }), sampleRow("b", null, { startMs: 20, durationMs: 30 })];
    expect(wholeOf(rows, 0)).toEqual({ from: -5, to: 50 });
    expect(wholeOf([sampleRow("c", null, { status: "running", durationMs: null })], 80)).toEqual({ from: 0, to: 80 });
  });

  it("is never empty", () => {
    for (const rows of [[], [sampleRow("a", null, { durationMs: 0 })], [sampleRow("b", null, { durationMs: -9 })]]) {
      const { from, to } = wholeOf(rows, 0);
      expect(to).toBeGreaterThan(from);
    }
  });
});

describe("zooming", () => {
  it("keeps the moment under the pointer where it is", () => {
    const view = scaled(WHOLE, 0.5, 250, WHOLE);
    expect(view).toEqual({ from: 125, to: 625 });
    expect(shareOf(250, view)).toBeCloseTo(0.25);
  });

  it("stays inside the whole and never turns around, whatever is asked for", () => {
    const random = randomFrom(7);
    let view = WHOLE;
    for (let step = 0; step < 2000; step++) {
      const moment = view.from + random() * (view.to - view.from);
      const moves = [
        () => scaled(view, 0.2 + random() * 1.6, moment, WHOLE),
        () => shifted(view, random() * 4 - 2, WHOLE),
        () => between(random() * 1200 - 100, moment, WHOLE),
        () => within({ from: -1e9, to: random() * 1e9 }, WHOLE),
      ];
      view = moves[Math.floor(random() * moves.length)]?.() ?? view;
      expect(view.to).toBeGreaterThan(view.from);
      expect(view.from).toBeGreaterThanOrEqual(0);
      expect(view.to).toBeLessThanOrEqual(1000 + 1e-9);
    }
  });

  it("knows when all is in sight", () => {
    expect(isWhole(WHOLE, WHOLE)).toBe(true);
    expect(isWhole({ from: 0, to: 999 }, WHOLE)).toBe(false);
  });
});

describe("placeOf", () => {
  it("gives percentages of what is in sight, and nothing for what is not", () => {
    expect(placeOf(250, 500, WHOLE)).toEqual({ left: 25, width: 25 });
    expect(placeOf(1500, 1600, WHOLE)).toBeNull();
    expect(placeOf(-10, -5, WHOLE)).toBeNull();
  });

  it("stays near the edges however far something reaches", () => {
    const place = placeOf(-1e12, 1e12, { from: 0, to: 0.001 });
    expect(place).toEqual({ left: -1, width: 102 });
  });
});

describe("ticksOf", () => {
  it("has at most as many as asked for, at equal distances, all of them in sight and told apart", () => {
    const random = randomFrom(3);
    for (let round = 0; round < 500; round++) {
      const from = random() < 0.5 ? 0 : random() * 10 ** Math.floor(random() * 8);
      const range = { from, to: from + 10 ** (random() * 12 - 4) };
      const ticks = ticksOf(range, 8);
      expect(ticks.length).toBeLessThanOrEqual(9);
      for (const tick of ticks) {
        expect(tick.ms).toBeGreaterThanOrEqual(range.from);
        expect(tick.ms).toBeLessThanOrEqual(range.to);
      }
    }
  });

  it.each([
    [0, 1919, ["0", "500 ms", "1.0 s", "1.5 s"]],
    [0, 80, ["0", "20 ms", "40 ms", "60 ms", "80 ms"]],
    [0, 0.004, ["0", "1 µs", "2 µs", "3 µs", "4 µs"]],
    [0, 2_800_000, ["0", "10:00", "20:00", "30:00", "40:00"]],
    [0, 9_000_000, ["0", "30:00", "1:00:00", "1:30:00", "2:00:00", "2:30:00"]],
    [0, 68 * 86_400_000, ["0", "20 d", "40 d", "60 d"]],
  ])("speaks of %d to %d ms in round numbers", (from, to, labels) => {
    expect(ticksOf({ from, to }, 5).map((tick) => tick.label)).toEqual(labels);
  });

  it("tells neighbours apart that are close together late in a trace", () => {
    const labels = ticksOf({ from: 125_000, to: 125_001 }, 5).map((tick) => tick.label);
    expect(new Set(labels).size).toBe(labels.length);
    expect(labels[1]).toBe("2:05.0002");
  });
});

describe("the range in an address", () => {
  it("reads what was written", () => {
    for (const range of [
      { from: 120, to: 340.5 },
      { from: -5, to: 20 },
      { from: 0.000_12, to: 0.000_9 },
    ]) {
      const again = readRange(writeRange(range));
      expect(again?.from).toBeCloseTo(range.from, 6);
      expect(again?.to).toBeCloseTo(range.to, 6);
    }
  });

  it.each(["", "5", "5-", "9-3", "a-b", "1e3-2e3", "1-2-3-4", "Infinity-NaN"])("takes no %j", (text) => {
    expect(readRange(text)).toBeNull();
  });
});
