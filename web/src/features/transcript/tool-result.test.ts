import { expect, test } from "vitest";
import type { Part } from "@/lib/messages";
import { onOneLine, resultLine, toolResult } from "./tool-result";

/** A tool's span, with the message that the API reads out of a result in the form of MCP. */
const span = (output: unknown, ...parts: Part[]) => ({
  output,
  messages: { output: parts.length ? [{ role: "tool", parts }] : [] },
});
const text = (content: string): Part => ({ type: "text", content });
const ENVELOPE = { content: ["…"], structuredContent: { a: 1 }, isError: false };

test("an MCP result is what its text blocks say, read where that is JSON", () => {
  const structured: Part = { type: "structured", content: { a: 1 } };
  expect(toolResult(span(ENVELOPE, text('{"a": 1}'), structured))).toEqual({ a: 1 });
  expect(toolResult(span(ENVELOPE, text("one"), text("two")))).toBe("one\ntwo");
});

test("blocks that are no text leave the result as it is, and structured content stands in for none", () => {
  const image: Part = { type: "blob", modality: "image", mime_type: "image/png", content: "…" };
  expect(toolResult(span(ENVELOPE, text("a map"), image))).toBe(ENVELOPE);
  expect(toolResult(span(ENVELOPE, { type: "structured", content: { n: 1 } }))).toEqual({ n: 1 });
  expect(toolResult(span(ENVELOPE, { type: "json", content: { n: 1 } }))).toEqual({ n: 1 });
});

test("in one line, a file is its type and format", () => {
  const image: Part = { type: "blob", modality: "image", mime_type: "image/png", content: "iVBORw0" };
  const sound: Part = { type: "blob", modality: "audio", mime_type: null, content: "UklGRg" };
  expect(resultLine(span(ENVELOPE, text("a map"), image, sound))).toBe("a map, image image/png, audio");
  expect(resultLine(span({ n: 1 }))).toBe("{n: 1}");
});

test("anything else is itself", () => {
  const own = { content: [1, 2], total: 2 };
  for (const value of [null, 3, "text", { content: "text" }, [1], [], {}, { content: [] }, own]) {
    expect(toolResult(span(value))).toEqual(value);
  }
  expect(toolResult(span('{"a": [1]}'))).toEqual({ a: [1] });
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
