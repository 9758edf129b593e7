import { expect, test } from "vitest";
import { readable } from "./readable";

test("a message is what it says", () => {
  const message = { role: "user", parts: [{ type: "text", content: "Where is\nit warm?" }] };
  expect(readable(JSON.stringify(message))).toBe("Where is\nit warm?");
  expect(readable(JSON.stringify([message, message]))).toBe("Where is\nit warm?\n\nWhere is\nit warm?");
});

test("a message names the tools that it calls, and what they gave", () => {
  const call = { role: "assistant", parts: [{ type: "tool_call", name: "weather", arguments: { city: "Oslo" } }] };
  expect(readable(JSON.stringify(call))).toBe('weather({\n  "city": "Oslo"\n})');
  const result = { role: "tool", parts: [{ type: "tool_call_response", response: "3 degrees" }] };
  expect(readable(JSON.stringify(result))).toBe("3 degrees");
});

test("a message with a part of another kind stays JSON", () => {
  const picture = { role: "user", parts: [{ type: "blob", content: "aGk=" }] };
  expect(readable(JSON.stringify(picture))).toContain('"content": "aGk="');
});

test("numbers keep their digits", () => {
  expect(readable('{"n":12345678901234567890.10}')).toContain("12345678901234567890.10");
});

test("what is no JSON stays as it is", () => {
  expect(readable("Oslo")).toBe("Oslo");
  expect(readable('{"cut":"te…')).toBe('{"cut":"te…');
  expect(readable("[]")).toBe("[]");
});
