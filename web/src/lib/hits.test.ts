import { expect, test } from "vitest";
import { type HitSource, hitsFinder } from "./hits";

const span = (parts: Partial<HitSource>): HitSource => ({ kind: "tool", name: "pay", error: null, ...parts });

test("each word has to occur, in any place of the span", () => {
  const find = hitsFinder("oslo norway");
  expect(find(span({ input: { city: "Oslo" }, output: "in Norway" }))).toEqual([
    { within: "result", path: "", text: "in Norway", marks: [[3, 9]] },
    { within: "arguments", path: ".city", text: "Oslo", marks: [[0, 4]] },
  ]);
  expect(find(span({ input: { city: "Oslo" } }))).toBeNull();
});

test("a word is a whole one, unless a star ends it, and a phrase is its words in a row", () => {
  expect(hitsFinder("osl")(span({ output: "Oslo" }))).toBeNull();
  expect(hitsFinder("osl*")(span({ output: "Oslo" }))).toHaveLength(1);
  expect(hitsFinder('"in oslo"')(span({ output: "in: Oslo" }))).toHaveLength(1);
  expect(hitsFinder('"in oslo"')(span({ output: "Oslo, in" }))).toBeNull();
});

test("a traceback is searched too", () => {
  const error = { type: "ToolError", message: "divide failed", traceback: "Traceback:\nZeroDivisionError: by zero" };
  expect(hitsFinder("ZeroDivisionError")(span({ error }))).toMatchObject([{ within: "error", path: ".traceback" }]);
});

test("the events of a span are searched too, messages in them only where they are new", () => {
  const event = { name: "exception", attributes: { "exception.message": "no oslo" } };
  expect(hitsFinder("oslo")(span({ events: [event] }))).toMatchObject([
    { within: "events", path: "[0].exception.message" },
  ]);
  const find = hitsFinder("oslo");
  const said = span({ kind: "llm", events: [{ name: "gen_ai.user.message", attributes: { content: "Oslo?" } }] });
  expect(find(said)).toHaveLength(1);
  expect(find(said)).toBeNull();
});

test("a prompt that repeats what an earlier call said is no hit", () => {
  const find = hitsFinder("oslo");
  const prompt = [{ role: "user", content: "Oslo?" }];
  const call = span({ kind: "llm", name: "chat", input: prompt });
  expect(find(call)?.[0]?.within).toBe("messages");
  expect(find(call)).toBeNull();
  expect(
    find(span({ kind: "llm", name: "chat", input: [...prompt, { role: "user", content: "Oslo!" }] })),
  ).toHaveLength(1);
});

test("an attribute that is the input is told once, and JSON in one is looked into", () => {
  const attributes = { args: '{"city":"Oslo"}', note: '{"to":"Oslo fjord"}' };
  const places = hitsFinder("oslo")(span({ input: { city: "Oslo" }, attributes }));
  expect(places?.map(({ within, path }) => `${within}${path}`)).toEqual(["arguments.city", "attributesnote.to"]);
});

test("marks count characters, also behind those that are two units", () => {
  expect(hitsFinder("oslo")(span({ output: "🗺 Oslo" }))?.[0]?.marks).toEqual([[2, 6]]);
});

test("without a word nothing is found", () => {
  expect(hitsFinder("!?")(span({ output: "!?" }))).toBeNull();
});
