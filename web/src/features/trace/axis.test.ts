import { expect, test } from "vitest";
import { fittingTicks } from "./axis";

const labels = (to: number, width: number) => fittingTicks({ from: 0, to }, width).map(({ label }) => label);

test("a narrow axis has as many marks as stand beside each other", () => {
  expect(labels(4040, 204)).toEqual(["0", "1 s", "2 s", "3 s"]);
  expect(labels(4040, 400)).toEqual(["0", "1 s", "2 s", "3 s", "4 s"]);
  expect(labels(900, 204)).toEqual(["0", "500 ms"]);
  expect(labels(4040, 40)).toEqual(["0"]);
});

test("no label is cut at the end of the axis", () => {
  expect(labels(130, 152)).toEqual(["0", "50 ms"]);
  expect(labels(130, 190)).toEqual(["0", "50 ms", "100 ms"]);
});

test("no two labels run into each other, however wide and whatever the time", () => {
  for (const to of [0.004, 1, 900, 4040, 125_000, 5_000_000]) {
    for (let width = 60; width < 1500; width += 37) {
      const ticks = fittingTicks({ from: 0, to }, width);
      for (const [at, tick] of ticks.entries()) {
        const next = ticks[at + 1];
        if (next) expect(((next.ms - tick.ms) / to) * width).toBeGreaterThan(tick.label.length * 6.5);
      }
    }
  }
});
