import { expect, test } from "vitest";
import { inferredPlace } from "./find-inferred";

const TOOL = {
  what: "tool",
  name: "weather",
  arguments: '{"city": "M\\u00fcnchen", "day": "2026-11-25"}',
  result: "sunny 😀 21 degrees",
  asking: "1",
  next: "2",
} as const;

test("an inferred call of a tool is found by its arguments and by its result, while the last word is typed", () => {
  expect(inferredPlace(TOOL, "münch")).toEqual({
    within: "arguments",
    path: ".city",
    text: "München",
    marks: [[0, 5]],
  });
  expect(inferredPlace(TOOL, "degr")).toMatchObject({ within: "result", path: "" });
  expect(inferredPlace(TOOL, "***")).toBeNull();
});

test("all words have to be in it, on either side", () => {
  expect(inferredPlace(TOOL, "münchen sunny")).not.toBeNull();
  expect(inferredPlace(TOOL, "münchen rainy")).toBeNull();
});
