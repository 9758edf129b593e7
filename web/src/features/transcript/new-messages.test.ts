import { expect, test } from "vitest";
import type { Message, Part } from "@/lib/messages";
import { newMessages, withoutListedCalls } from "./new-messages";

const system: Message = { role: "system", parts: [{ type: "text", content: "You plan trips." }] };
const user: Message = { role: "user", parts: [{ type: "text", content: "Plan one." }] };
const answer: Message = {
  role: "assistant",
  parts: [
    { type: "text", content: "I look at hotels." },
    { type: "tool_call", id: "c1", name: "find", arguments: { city: "Lisbon" } },
  ],
};
const result: Message = { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: "three hotels" }] };
const said = (role: string, content: string): Message => ({ role, parts: [{ type: "text", content }] });
const roles = (messages: { message: Message }[]) => messages.map(({ message }) => message.role);

test("at the first call everything is new", () => {
  const found = newMessages(null, [system, user], false);
  expect(roles(found.added)).toEqual(["system", "user"]);
  expect(found.repeated).toBe(0);
});

test("the answer before and what its tools gave back are repeated", () => {
  const before = { input: [system, user], output: [answer] };
  const found = newMessages(before, [system, user, answer, result], true);
  expect(found).toEqual({ added: [], repeated: 2, removed: 0 });
});

test("results of tools that nobody recorded stand with the model call", () => {
  const before = { input: [system, user], output: [answer] };
  const found = newMessages(before, [system, user, answer, result], false);
  expect(roles(found.added)).toEqual(["tool"]);
  expect(found.repeated).toBe(1);
});

test("an answer that comes back in another form is still the same", () => {
  const before = { input: [user], output: [answer] };
  const again: Message = {
    role: "assistant",
    parts: [
      { type: "text", content: "I look at hotels. " },
      { type: "tool_call", id: "c1", name: "find", arguments: '{"city": "Lisbon"}' },
    ],
  };
  expect(newMessages(before, [user, again], true).repeated).toBe(1);
});

test("another answer put into the history is new", () => {
  const before = { input: [user], output: [answer] };
  const other: Message = {
    role: "assistant",
    parts: [{ type: "text", content: "Something else entirely was put here." }],
  };
  expect(roles(newMessages(before, [user, other], true).added)).toEqual(["assistant"]);
});

test("what was left out and what was rewritten is said", () => {
  const long = "You plan trips for two people who like museums and the sea";
  const before = {
    input: [said("system", `${long}.`), user, said("user", "And one more thing.")],
    output: [],
  };
  const found = newMessages(before, [said("system", `${long}, on a budget.`), user], false);
  expect(found.removed).toBe(1);
  expect(found.added.map(({ rewritten }) => rewritten)).toEqual([true]);
});

test("calls that have entries of their own leave the answer, each once", () => {
  const again: Part = { type: "tool_call", id: "c2", name: "find", arguments: {} };
  const twice = [{ ...answer, parts: [...answer.parts, again] }];
  expect(withoutListedCalls(twice, ["find"])[0]?.parts.map((part) => part.type)).toEqual(["text", "tool_call"]);
  expect(withoutListedCalls(twice, ["find", "find"])[0]?.parts.map((part) => part.type)).toEqual(["text"]);
  expect(withoutListedCalls([{ ...answer, parts: answer.parts.slice(1) }], ["find"])).toEqual([]);
  expect(withoutListedCalls(twice, ["__proto__"])).toEqual(twice);
});
