import { describe, expect, it } from "vitest";
import { Rate } from "./rate";

describe("a rate", () => {
  it("is nothing while nothing happens, and again after a while without", () => {
    const rate = new Rate(5000);
    expect(rate.perSecond(0)).toBe(0);
    rate.add(10, 100);
    expect(rate.perSecond(5200)).toBe(0);
  });

  it("settles at what happens steadily", () => {
    const rate = new Rate(5000);
    for (let at = 0; at < 20_000; at += 20) rate.add(10, at);
    expect(rate.perSecond(20_000)).toBeCloseTo(500, -1);
  });

  it("does not make much of a single burst", () => {
    const rate = new Rate(5000);
    rate.add(3, 1000);
    expect(rate.perSecond(1001)).toBe(3);
  });
});
