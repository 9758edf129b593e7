import { expect, test } from "vitest";
import type { Diff, DiffCall, DiffStep } from "@/api/diff";
import { differenceWords, ignoredWords, partingSentence, programsSentence, programWords } from "./words";

const CALL: DiffCall = { trace_id: "a", span_id: "b", name: "search", status: "ok", duration_ms: 1 };
const STEP: DiffStep = {
  a: CALL,
  b: CALL,
  depth: 0,
  kind: "tool",
  name: "search",
  differences: ["input", "answer"],
  changed: [{ kind: "argument", name: "q", label: "argument q" }],
  more: 2,
};

test.each([
  [STEP, "its result differs"],
  [{ ...STEP, differences: ["order" as const] }, "it was called in a different order"],
  [{ ...STEP, a: null }, "only the second run made it"],
  [{ ...STEP, b: null }, "only the first run made it"],
])("a sentence says where the runs diverge", (step, what) => {
  const diff = { first: 0, steps: [step] } as unknown as Diff;
  expect(partingSentence(diff)).toBe(`The runs diverge at call 1 of 1, search: ${what}.`);
});

test("equal runs have no such sentence", () => {
  expect(partingSentence({ first: null, steps: [STEP] } as unknown as Diff)).toBeNull();
});

test("a call says what of it differs", () => {
  expect(differenceWords(STEP)).toBe("argument q, 2 more parts, answer");
  expect(differenceWords({ ...STEP, changed: [], more: 0, differences: ["only b"] })).toBe("second run only");
});

test("what is not compared is counted", () => {
  expect(ignoredWords({ time: 1, id: 12 })).toBe("12 ids, 1 time inside texts");
  expect(ignoredWords({})).toBeNull();
});

test("what of a program differs is named with what it was and is", () => {
  const changes = [
    { kind: "package" as const, name: "openai", a: "3.53.0", b: "3.54.0" },
    { kind: "commit" as const, name: "commit", a: "1a2b", b: "3c4d with changes" },
  ];
  expect(programWords(changes)).toBe("openai 3.53.0 became 3.54.0, commit 1a2b became 3c4d with changes");
});

test("runs of different programs are said to be that", () => {
  const run = { label: "a", run_id: "a", trace_id: null, name: "plan", status: "ok" as const, spans: 1 };
  const sums = { errors: 0, input_tokens: 0, output_tokens: 0, cost_usd: null, unpriced_calls: 0 };
  const begun = { ...run, ...sums, start_time_unix_nano: null, duration_ms: null };
  const runs = (a: string | null, b: string | null) => ({ a: { ...begun, service: a }, b: { ...begun, service: b } });
  expect(programsSentence(runs("travel", "food"))).toBe("The runs are of different programs: travel and food.");
  expect(programsSentence(runs("travel", "travel"))).toBeNull();
  expect(programsSentence(runs("travel", null))).toBeNull();
});
