import { expect, test } from "vitest";
import { parseJson } from "@/lib/json";
import type { Message, Part } from "@/lib/messages";
import { argumentValues, sourceOf } from "./value-sources";

const said = (role: string, ...parts: Part[]): Message => ({ role, parts });
const text = (content: string): Part => ({ type: "text", content });
const gave = (response: unknown): Part => ({ type: "tool_call_response", id: "c1", response });

function found(args: unknown, ...messages: Message[]) {
  return argumentValues(args).map((value) => {
    const source = sourceOf(value, messages);
    const [from = 0, until = 0] = source?.marks[0] ?? [];
    return [value.path, source?.place ?? null, source && [...source.line].slice(from, until).join("")];
  });
}

test("the values of arguments are their numbers of some digits, and their texts of some length", () => {
  const args = { order: { id: "ORD-7714" }, lines: [12, "no", 2], sure: true, note: null, body: "x".repeat(300) };
  expect(argumentValues(args).map(({ path, text: value }) => [path, value])).toEqual([
    ["order.id", "ORD-7714"],
    ["lines[0]", "12"],
  ]);
});

test("a value comes from the newest message that has it, and from the model itself only if nobody else said it", () => {
  const messages = [
    said("user", text("Refund ORD-7714, for Ada.")),
    said("tool", gave({ order: "ORD-7714", total: 19.5 })),
    said("assistant", text("I refund ORD-7714 by courier.")),
  ];
  expect(found({ order: "ORD-7714", by: "courier", total: 19.5, to: "Grace" }, ...messages)).toEqual([
    ["order", 2, "ORD-7714"],
    ["by", 3, "courier"],
    ["total", 2, "19.5"],
    ["to", null, null],
  ]);
});

test("a part of a longer word or number is another value", () => {
  const messages = [said("user", text("ORD-77145, -19, 3.19, 19.5 and 190; v19"))];
  expect(found({ order: "ORD-7714", total: 19 }, ...messages)).toEqual([
    ["order", null, null],
    ["total", null, null],
  ]);
  expect(found({ total: 19 }, said("user", text("It costs 19.")))).toEqual([["total", 1, "19"]]);
});

test("a text is found as JSON spells it, and a number with its digits", () => {
  const message = said("tool", gave(parseJson('{"path": "C:\\\\new", "id": 9007199254740993}')));
  expect(found(parseJson('{"path": "C:\\\\new", "id": 9007199254740993}'), message)).toEqual([
    ["path", 1, "C:\\\\new"],
    ["id", 1, "9007199254740993"],
  ]);
});

test("text blocks are searched as the text that they hold", () => {
  const blocks = [{ type: "text", text: '{"city": "Łódź"}' }];
  const [value] = argumentValues({ city: "Łódź" });
  expect(value && sourceOf(value, [said("tool", gave(blocks))])?.line).toBe('{"city": "Łódź"}');
});
