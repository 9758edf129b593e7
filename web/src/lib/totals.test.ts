import { describe, expect, it } from "vitest";
import { sampleRow } from "./samples.test-data";
import { totalsOf } from "./totals";

describe("totalsOf", () => {
  it("adds up what is known", () => {
    const rows = [
      sampleRow("a", null, {
        kind: "llm",
        model: "m2",
        inputTokens: 10,
        cachedTokens: 4,
        outputTokens: 2,
        costUsd: 0.5,
      }),
      sampleRow("b", null, { kind: "llm", model: "m1", inputTokens: 5, costUsd: 0.25, status: "error" }),
      sampleRow("c", null, { status: "running" }),
    ];
    expect(totalsOf(rows)).toMatchObject({
      spans: 3,
      errors: 1,
      running: 1,
      llmCalls: 2,
      toolCalls: 1,
      inputTokens: 15,
      outputTokens: 2,
      cachedTokens: 4,
      costUsd: 0.75,
      models: ["m1", "m2"],
    });
  });

  it("counts a notification as a span and as no call", () => {
    const rows = [
      sampleRow("a", null, { kind: "rpc", name: "initialize" }),
      sampleRow("b", "a", { kind: "rpc", name: "notifications/message" }),
    ];
    expect(totalsOf(rows)).toMatchObject({ spans: 2, calls: 1 });
  });

  it("counts a call and its error once, however many spans it has", () => {
    const call = { kind: "llm", inputTokens: 10, outputTokens: 2, cachedTokens: 1, costUsd: 0.5 } as const;
    const rows = [
      sampleRow("a", null, call),
      sampleRow("b", "a", { ...call, status: "error", foldedInto: "a" }),
      sampleRow("c"),
      sampleRow("d", "c", { foldedInto: "c" }),
    ];
    expect(totalsOf(rows)).toMatchObject({
      spans: 4,
      calls: 2,
      errors: 0,
      llmCalls: 1,
      toolCalls: 1,
      inputTokens: 10,
      outputTokens: 2,
      cachedTokens: 1,
      costUsd: 0.5,
    });
  });

  it("says how many model calls it knows no cost of", () => {
    const call = { kind: "llm", inputTokens: 10 } as const;
    const rows = [
      sampleRow("priced", null, { ...call, costUsd: 0.5 }),
      sampleRow("unpriced", null, { ...call, status: "error" }),
      sampleRow("again", "unpriced", { ...call, foldedInto: "unpriced" }),
      sampleRow("silent", null, { kind: "llm" }),
      sampleRow("refused", null, { kind: "llm", status: "error" }),
      sampleRow("tool"),
    ];
    expect(totalsOf(rows).unpricedCalls).toBe(2);
  });

  it("knows no cost where no row does", () => {
    expect(totalsOf([sampleRow("a")]).costUsd).toBeNull();
  });

  it("lasts from the first start to the last end, whatever the root says", () => {
    const rows = [
      sampleRow("root", null, { startMs: 0, durationMs: 100 }),
      sampleRow("late", "root", { startMs: 1, durationMs: 149 }),
    ];
    expect(totalsOf(rows).durationMs).toBe(150);
  });

  it("runs as long as its root does", () => {
    const rows = [
      sampleRow("root", null, { status: "running", durationMs: null }),
      sampleRow("done", "root", { durationMs: 5 }),
    ];
    expect(totalsOf(rows)).toMatchObject({ status: "running", durationMs: null });
  });

  it("is as bad as the worst of its rows while its root is unknown", () => {
    const rows = [sampleRow("a", "gone", { name: "first" }), sampleRow("b", "gone", { status: "lost" })];
    expect(totalsOf(rows)).toMatchObject({ status: "lost", head: { name: "first" } });
    expect(totalsOf([...rows, sampleRow("c", null, { name: "root" })])).toMatchObject({
      status: "ok",
      head: { name: "root" },
    });
  });

  it("names no model that was only asked for", () => {
    const call = { kind: "llm", model: "gpt-4o" } as const;
    expect(totalsOf([sampleRow("a", null, { ...call, status: "running" })]).models).toEqual([]);
    expect(totalsOf([sampleRow("a", null, call)]).models).toEqual(["gpt-4o"]);
  });
});
