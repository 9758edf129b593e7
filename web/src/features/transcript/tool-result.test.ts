import { expect, test } from "vitest";
import { onOneLine, toolResult } from "./tool-result";

const text = (said: string) => ({ type: "text", text: said });

test("an MCP result is what its text blocks say, read where that is JSON", () => {
  expect(toolResult({ content: [text('{"a": 1}')], structuredContent: { a: 1 }, isError: false })).toEqual({ a: 1 });
  expect(toolResult({ content: [text("one"), text("two")] })).toBe("one\ntwo");
  expect(toolResult([text("one"), text("two")])).toBe("one\ntwo");
});

test("blocks that are no text stay blocks, and structured content stands in for none", () => {
  const image = { type: "image", data: "…" };
  const content = [text("a map"), image];
  expect(toolResult({ content })).toBe(content);
  expect(toolResult({ content: [], structuredContent: { n: 1 } })).toEqual({ n: 1 });
  expect(toolResult({ content: [{ type: "json", value: { n: 1 } }], structured: { n: 1 } })).toEqual({ n: 1 });
  expect(toolResult({ content: [], structured_content: { n: 1 } })).toEqual({ n: 1 });
});

test("anything else is itself, also what only looks like an envelope", () => {
  const own = { content: [1, 2], total: 2 };
  for (const value of [null, 3, "text", { content: "text" }, [1], [], {}, { content: [] }, own]) {
    expect(toolResult(value)).toEqual(value);
  }
  expect(toolResult('{"a": [1]}')).toEqual({ a: [1] });
  expect(toolResult({ content: [{ type: "text" }] })).toEqual([{ type: "text" }]);
});

test("one line has no line feeds, and says where it was cut", () => {
  expect(onOneLine("a\n  b")).toBe("a b");
  expect(onOneLine("x".repeat(160))).toBe("x".repeat(160));
  expect(onOneLine("x".repeat(9999))).toBe(`${"x".repeat(159)}…`);
  expect(onOneLine(`x${" ".repeat(9999)}y`)).toBe("x…");
  expect(onOneLine({ city: "Lisbon" })).toBe('{city: "Lisbon"}');
  expect(onOneLine(false)).toBe("false");
  expect(onOneLine(null)).toBe("");
});
