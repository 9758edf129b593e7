import { expect, it } from "vitest";
import { msBetween, plusMs, unixMs, unixNano } from "./time";

it("keeps nanoseconds between two times", () => {
  expect(msBetween("1700000000000000001", "1700000000001500003")).toBe(1.500002);
});

it("knows that the later time may come first", () => {
  expect(msBetween("1700000000000001000", "1700000000000000000")).toBe(-0.001);
});

it("goes to milliseconds and back without losing microseconds", () => {
  expect(unixNano(unixMs("1700000000123456000"))).toBe("1700000000123456000");
});

it("adds milliseconds exactly", () => {
  expect(plusMs("1700000000000000001", 1.5)).toBe("1700000000001500001");
});

it("holds the largest time that OTLP carries", () => {
  expect(plusMs("18446744073709551615", 0)).toBe("18446744073709551615");
});
