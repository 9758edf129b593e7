import { expect, test } from "vitest";
import { counted, type Label, labelText, labelTitle, parsedLabel } from "./labels";

const LABEL: Label = {
  label_id: "1",
  run_id: "r",
  trace_id: null,
  span_id: null,
  name: "good",
  score: null,
  value: null,
  note: null,
  author: null,
  source: "person",
  time_unix_nano: "1",
};

test.each([
  ["good", { name: "good" }],
  [" quality=0.8 ", { name: "quality", score: 0.8 }],
  ["quality=-1e2", { name: "quality", score: -100 }],
  ["relevance=fair", { name: "relevance", value: "fair" }],
  ["a=b=c", { name: "a", value: "b=c" }],
  ["", null],
  ["=1", null],
  ["a<b", null],
  ["quality=", null],
  ["two\nlines", null],
])("%j is read as %j", (text, label) => {
  expect(parsedLabel(text)).toEqual(label);
});

test("a label shows its name with its number or its word", () => {
  expect(labelText(LABEL)).toBe("good");
  expect(labelText({ name: "quality", score: 1 / 3, value: null })).toBe("quality 0.333333");
  expect(labelText({ name: "relevance", score: null, value: "fair" })).toBe("relevance fair");
});

test("who points at a label reads why and who says so", () => {
  expect(labelTitle({ ...LABEL, note: "Right invoice." })).toBe("Right invoice. · by a person");
  expect(labelTitle({ ...LABEL, source: "model", span_id: "1" })).toBe("by a model · on a span");
});

test("equal labels are one with their number", () => {
  const found = counted([LABEL, { ...LABEL, name: "bad" }, { ...LABEL, label_id: "3" }]);
  expect(found.map(({ label, count }) => [label.name, count])).toEqual([
    ["good", 2],
    ["bad", 1],
  ]);
});
