import { expect, test } from "vitest";
import { inferredPlacer } from "./find-inferred";

const tool = {
  what: "tool",
  name: "weather",
  arguments: '{"city": "M\\u00fcnchen", "day": "2026-11-25"}',
  result: "sunny 😀 21 degrees",
  asking: "1",
  next: "2",
} as const;

const marked = (search: string) => {
  const place = inferredPlacer(search)(tool);
  return place?.marks.map(([begin, end]) => [...place.text].slice(begin, end).join(""));
};

test("an inferred call of a tool is found by its arguments and by its result", () => {
  expect(inferredPlacer("münchen")(tool)).toMatchObject({ within: "arguments", path: "" });
  expect(marked("münchen")).toEqual(["München"]);
  expect(inferredPlacer("degr")(tool)).toMatchObject({ within: "result" });
  expect(marked("degr")).toEqual(["degr"]);
});

test("all words have to be in it, on either side", () => {
  expect(marked("city sunny")).toEqual(["city"]);
  expect(inferredPlacer("city rainy")(tool)).toBeNull();
  expect(inferredPlacer("***")(tool)).toBeNull();
});

test("of a long text the part around the word is shown", () => {
  const long = { ...tool, arguments: "{}", result: `${"a ".repeat(500)}needle ${"b ".repeat(500)}` };
  const place = inferredPlacer("needle")(long);
  expect(place?.text).toHaveLength(202);
  expect(place?.text.slice(...(place.marks[0] as [number, number]))).toBe("needle");
});
