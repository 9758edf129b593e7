import { expect, it } from "vitest";
import { msBetween, unixMs } from "./time";

it("keeps nanoseconds between two times", () => {
  expect(msBetween("1700000000000000001", "1700000000001500003")).toBe(1.500002);
});

it("knows that the later time may come first", () => {
  expect(msBetween("1700000000000001000", "1700000000000000000")).toBe(-0.001);
});

it("keeps microseconds of a moment", () => {
  expect(unixMs("1700000000123456789")).toBe(1700000000123.456);
});

it("holds the largest time that OTLP carries", () => {
  expect(msBetween("18446744073709551614", "18446744073709551615")).toBe(0.000001);
  expect(unixMs("18446744073709551615")).toBe(18446744073709.551);
});
