import { expect, test } from "vitest";
import { type Message, readMessages } from "@/lib/messages";
import { newMessages, withoutListedCalls } from "./new-messages";

const system = { role: "system", parts: [{ type: "text", content: "You plan trips." }] };
const user = { role: "user", parts: [{ type: "text", content: "Plan one." }] };
const answer = {
  role: "assistant",
  parts: [
    { type: "text", content: "I look at hotels." },
    { type: "tool_call", id: "c1", name: "find", arguments: { city: "Lisbon" } },
  ],
};
const result = { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: "three hotels" }] };
const read = (recorded: unknown): Message[] => readMessages(recorded, "user");
const roles = (messages: { message: Message }[]) => messages.map(({ message }) => message.role);

test("at the first call everything is new", () => {
  const found = newMessages(null, read([system, user]), false);
  expect(roles(found.added)).toEqual(["system", "user"]);
  expect(found.repeated).toBe(0);
});

test("the answer before and what its tools gave back are repeated", () => {
  const before = { asked: read([system, user]), answered: read([answer]) };
  const found = newMessages(before, read([system, user, answer, result]), true);
  expect(found).toEqual({ added: [], repeated: 2, removed: 0 });
});

test("results of tools that nobody recorded stand with the model call", () => {
  const before = { asked: read([system, user]), answered: read([answer]) };
  const found = newMessages(before, read([system, user, answer, result]), false);
  expect(roles(found.added)).toEqual(["tool"]);
  expect(found.repeated).toBe(1);
});

test("an answer that comes back in another form is still the same", () => {
  const before = { asked: read([user]), answered: read([answer]) };
  const chat = {
    role: "assistant",
    content: "I look at hotels.",
    tool_calls: [{ id: "c1", type: "function", function: { name: "find", arguments: '{"city": "Lisbon"}' } }],
  };
  expect(newMessages(before, read([user, chat]), true).repeated).toBe(1);
});

test("another answer put into the history is new", () => {
  const before = { asked: read([user]), answered: read([answer]) };
  const other = { role: "assistant", parts: [{ type: "text", content: "Something else entirely was put here." }] };
  expect(roles(newMessages(before, read([user, other]), true).added)).toEqual(["assistant"]);
});

test("what was left out and what was rewritten is said", () => {
  const long = "You plan trips for two people who like museums and the sea";
  const before = {
    asked: read([{ role: "system", content: `${long}.` }, user, { role: "user", content: "And one more thing." }]),
    answered: [],
  };
  const found = newMessages(before, read([{ role: "system", content: `${long}, on a budget.` }, user]), false);
  expect(found.removed).toBe(1);
  expect(found.added.map(({ rewritten }) => rewritten)).toEqual([true]);
});

test("calls that have entries of their own leave the answer, each once", () => {
  const twice = read([{ ...answer, parts: [...answer.parts, { ...answer.parts[1], id: "c2" }] }]);
  expect(withoutListedCalls(twice, ["find"])[0]?.parts.map((part) => part.kind)).toEqual(["text", "call"]);
  expect(withoutListedCalls(twice, ["find", "find"])[0]?.parts.map((part) => part.kind)).toEqual(["text"]);
  expect(withoutListedCalls(read([{ ...answer, parts: answer.parts.slice(1) }]), ["find"])).toEqual([]);
  expect(withoutListedCalls(twice, ["__proto__"])).toEqual(twice);
});
