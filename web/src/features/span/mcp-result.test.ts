import { expect, test } from "vitest";
import { readToolResult } from "./mcp-result";

test("results in the form of MCP are told apart", () => {
  expect(readToolResult({ content: [{ type: "text", text: "hi" }], structured_content: { a: 1 } })).toEqual({
    content: [{ kind: "text", text: "hi" }],
    structured: { a: 1 },
  });
  expect(readToolResult({ content: [{ type: "json", value: [1] }] })?.content).toEqual([{ kind: "json", value: [1] }]);
  expect(readToolResult({ content: [], structured: { a: 1 } })?.structured).toEqual({ a: 1 });
  for (const other of [null, "x", { content: "x" }, { content: [1] }, [1]]) expect(readToolResult(other)).toBeNull();
});
