import { describe, expect, it } from "vitest";
import { groupsOf, itemsOf, type SummedRun } from "./session-groups";

const run = (trace_id: string, session_id: string | null, more: Partial<SummedRun> = {}): SummedRun => ({
  trace_id,
  session_id,
  status: "ok",
  calls: 1,
  spans: 2,
  errors: 0,
  input_tokens: 10,
  output_tokens: 1,
  cached_tokens: 5,
  cost_usd: null,
  unpriced_calls: 0,
  start_time_unix_nano: "1",
  ...more,
});

const runs = [
  run("a", "__proto__", { status: "error", errors: 3, cost_usd: 0.25 }),
  run("b", null),
  run("c", "__proto__", { cost_usd: 0.5, unpriced_calls: 2 }),
  run("d", "constructor"),
];

describe("groupsOf", () => {
  it("gathers the runs of a session where its first one stands, whatever it is called", () => {
    expect(groupsOf(runs).map(({ sessionId, runs: own }) => [sessionId, own.map((each) => each.trace_id)])).toEqual([
      ["__proto__", ["a", "c"]],
      [null, ["b"]],
      ["constructor", ["d"]],
    ]);
  });

  it("adds up, and knows no cost where none is known", () => {
    const [first, second] = groupsOf(runs);
    expect(first).toMatchObject({
      failed: 1,
      calls: 2,
      spans: 4,
      errors: 3,
      inputTokens: 20,
      outputTokens: 2,
      cachedTokens: 10,
      costUsd: 0.75,
      unpricedCalls: 2,
    });
    expect(second?.costUsd).toBeNull();
  });
});

describe("itemsOf", () => {
  const keys = (grouped: boolean, folded: (string | null)[] = []) =>
    itemsOf(runs, grouped, new Set(folded)).map(({ key }) => key);

  it("is the runs themselves without groups", () => {
    expect(keys(false, ["__proto__"])).toEqual(["run a", "run b", "run c", "run d"]);
  });

  it("puts a heading above each session and leaves out what is folded", () => {
    expect(keys(true, ["__proto__"])).toEqual(["session __proto__", "none", "run b", "session constructor", "run d"]);
  });

  it("loses no run and gives every row a key of its own", () => {
    const all = keys(true);
    expect(new Set(all).size).toBe(all.length);
    expect(all.filter((key) => key.startsWith("run ")).toSorted()).toEqual(keys(false));
  });
});
