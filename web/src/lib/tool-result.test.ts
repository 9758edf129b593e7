import { expect, test } from "vitest";
import { onOneLine, toolResult } from "./tool-result";

test("an MCP result is what its text blocks say", () => {
  expect(toolResult({ content: [{ type: "text", text: '{"a": 1}' }], isError: false })).toEqual({ a: 1 });
  expect(
    toolResult({
      content: [
        { type: "text", text: "one" },
        { type: "text", text: "two" },
      ],
    }),
  ).toBe("one\ntwo");
});

test("blocks that are no text stay blocks, and structured content stands in for none", () => {
  const image = [{ type: "image", data: "…" }];
  expect(toolResult({ content: image })).toBe(image);
  expect(toolResult({ content: [], structuredContent: { n: 1 } })).toEqual({ n: 1 });
});

test("anything else is itself", () => {
  for (const value of [null, 3, "text", { content: "text" }, [1]]) expect(toolResult(value)).toEqual(value);
  expect(toolResult('{"a": [1]}')).toEqual({ a: [1] });
});

test("one line has no line feeds and an end", () => {
  expect(onOneLine("a\n  b")).toBe("a b");
  expect(onOneLine("x".repeat(9999))).toHaveLength(160);
  expect(onOneLine({ city: "Lisbon" })).toBe('{city: "Lisbon"}');
  expect(onOneLine(null)).toBe("");
});
