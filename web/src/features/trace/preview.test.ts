import { expect, test } from "vitest";
import { sampleRow } from "@/lib/samples.test-data";
import { previewOf } from "./preview";

const first = { input: "Where to?", output: "calls look", error: null };
const last = { input: "Where to?", output: "To Oslo.", error: null };
const previews = new Map([
  ["m1", first],
  ["m2", last],
]);

test("a conversation says what was asked first, and while it is closed what was answered last", () => {
  const inferred = { what: "conversation", turns: 2, retries: 0, unclear: 0, first: "m1", last: "m2" } as const;
  const row = sampleRow("a", null, { kind: "agent", inferred });
  expect(previewOf(row, previews, false, false)).toEqual(last);
  expect(previewOf(row, previews, false, true)).toEqual({ ...last, output: null });
});

test("its turns say what they answered, and do not repeat the question", () => {
  const row = sampleRow("m1", "a", { kind: "llm" });
  expect(previewOf(row, previews, true, false)).toEqual({ ...first, input: null });
  expect(previewOf(row, previews, false, false)).toEqual(first);
});

test("an inferred tool says what it was given member by member, and why it failed", () => {
  const inferred = {
    what: "tool",
    name: "look",
    arguments: '{"city":"Oslo","days":[1,2]}',
    result: "no such city",
    asking: "m1",
    next: "m2",
  } as const;
  const row = sampleRow("t", "a", { inferred });
  const input = "city: Oslo, days: [1,2]";
  expect(previewOf(row, previews, false, false)).toEqual({ input, output: "no such city", error: null });
  expect(previewOf({ ...row, status: "error" }, previews, false, false)).toEqual({
    input,
    output: null,
    error: "no such city",
  });
});
