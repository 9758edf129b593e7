import { expect, test } from "vitest";
import { asksFor, type Message, textOf, toolNames } from "./messages";

const CALLS: Message[] = [
  { role: "user", parts: [{ type: "text", content: "hi" }] },
  {
    role: "assistant",
    parts: [
      { type: "tool_call", id: "c1", name: "find", arguments: {} },
      { type: "tool_call", id: null, name: "book", arguments: {} },
    ],
  },
];

test("the text of a message is its text alone", () => {
  const message: Message = {
    role: "assistant",
    parts: [
      { type: "text", content: "a" },
      { type: "reasoning", content: "b" },
      { type: "text", content: "c" },
    ],
  };
  expect(textOf(message)).toBe("a\n\nc");
});

test("tools are known by the ids of their calls", () => {
  expect(toolNames(CALLS)).toEqual(new Map([["c1", "find"]]));
  expect(asksFor(CALLS, "c1")).toBe(true);
  expect(asksFor(CALLS, "c2")).toBe(false);
});
