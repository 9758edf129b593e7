import { describe, expect, it } from "vitest";
import { amountOf, changed, conditionsOf, durationOf, rangeLabel } from "./conditions";
import { type Filter, filterOf } from "./filter";

const FULL: Filter = {
  q: "weather",
  status: ["error", "lost"],
  kind: ["llm"],
  agent: "planner",
  trace_id: "a".repeat(32),
  min_duration_ms: 1000,
  max_duration_ms: 5000,
  min_cost_usd: 0.01,
  attr: ["a.b=1", "c.d=2=3"],
  since: "24h",
};

describe("conditionsOf", () => {
  it("shows each part of a filter once, but for the search and the time", () => {
    const shown = conditionsOf(FULL).map(({ label, value }) => `${label}: ${value}`);
    expect(shown).toEqual([
      "status: error or lost",
      "kind: llm",
      "trace: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
      "agent: planner",
      "duration: 1.00 s – 5.00 s",
      "cost: ≥ $0.0100",
      "attribute: a.b=1",
      "attribute: c.d=2=3",
    ]);
  });

  it("leaves the search and the time when every condition is taken out, one after the other", () => {
    let filter = FULL;
    for (let turn = 0; turn < 20; turn++) filter = conditionsOf(filter)[0]?.rest ?? filter;
    expect(filter).toEqual({ q: "weather", since: "24h" });
  });

  it("gives each condition an id of its own", () => {
    const ids = conditionsOf(FULL).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("keeps the id of what there is one of as its value is chosen", () => {
    expect(conditionsOf({ kind: ["llm"] })[0]?.id).toBe(conditionsOf({ kind: ["llm", "tool"] })[0]?.id);
  });

  it("takes every rest back from an address unchanged", () => {
    for (const { rest } of conditionsOf(FULL)) expect(filterOf({ ...rest })).toEqual(rest);
  });

  it("shows a condition given twice once, and takes out both", () => {
    const conditions = conditionsOf({ attr: ["k=v", "k=v"] });
    expect(conditions).toHaveLength(1);
    expect(conditions[0]?.rest).toEqual({});
  });
});

describe("changed", () => {
  it("takes out what becomes undefined, empty or a list without entries", () => {
    expect(changed(FULL, { agent: undefined, q: "", kind: [] })).not.toHaveProperty("agent");
    expect(Object.keys(changed({ agent: "a", q: "b", kind: ["llm"] }, { agent: undefined, q: "", kind: [] }))).toEqual(
      [],
    );
  });

  it("keeps a zero", () => {
    expect(changed({}, { min_cost_usd: 0 })).toEqual({ min_cost_usd: 0 });
  });
});

describe("what is typed", () => {
  it.each([
    ["250", 250],
    ["250 ms", 250],
    ["1.5s", 1500],
    ["1,5 s", 1500],
    ["2m", 120_000],
    ["1 h", 3_600_000],
    ["", null],
    ["fast", null],
    ["-3", null],
  ])("reads the duration %j as %j", (text, ms) => expect(durationOf(text)).toBe(ms));

  it.each([
    ["0.05", 0.05],
    ["$1.20", 1.2],
    [".5", 0.5],
    ["1e9", null],
    ["", null],
  ])("reads the amount %j as %j", (text, usd) => expect(amountOf(text)).toBe(usd));
});

describe("rangeLabel", () => {
  it("names the ranges that are offered and spells out the others", () => {
    expect(rangeLabel({ since: undefined, until: undefined })).toBe("All time");
    expect(rangeLabel({ since: "1h", until: undefined })).toBe("Last hour");
    expect(rangeLabel({ since: "40m", until: undefined })).toBe("Last 40m");
    expect(rangeLabel({ since: "2026-11-22T03:00:00", until: "2026-11-22T03:10:00.5" })).toBe(
      "2026-11-22 03:00:00 – 03:10:00.500",
    );
    expect(rangeLabel({ since: undefined, until: "2026-11-22T03:10:00" })).toBe("until 2026-11-22 03:10:00");
  });
});
