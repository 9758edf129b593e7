import { expect, test } from "vitest";
import { sampleRow } from "@/lib/samples.test-data";
import type { SpanRow } from "@/lib/spans";
import { selfTimeMs } from "./self-time";

function selfTime(...calls: SpanRow[]) {
  return selfTimeMs([sampleRow("agent", null, { startMs: 10, durationMs: 100 }), ...calls], "agent");
}

function call(id: string, startMs: number, durationMs: number | null, over: Partial<SpanRow> = {}) {
  return sampleRow(id, "agent", { startMs, durationMs, ...over });
}

test("the time of a span is its own where none of its calls runs", () => {
  expect(selfTime(call("a", 20, 30), call("b", 60, 10))).toBe(60);
});

test("calls at the same time are subtracted once, and only while the span lasts", () => {
  expect(selfTime(call("a", 20, 40), call("b", 30, 10), call("c", 50, 20), call("d", 100, 500))).toBe(40);
  expect(selfTime(call("early", 0, 15))).toBe(95);
});

test("it is unknown without calls, and while an end is", () => {
  expect(selfTime()).toBeNull();
  expect(selfTime(call("a", 20, 30), call("lost", 60, null))).toBeNull();
  expect(selfTimeMs([], "agent")).toBeNull();
});

test("the pauses of an inferred conversation are the span's own", () => {
  const inferred = { what: "conversation" as const, turns: 2, retries: 0, unclear: 0, first: "one", last: "two" };
  const turn = (id: string, startMs: number) => sampleRow(id, "talk", { startMs, durationMs: 10 });
  expect(selfTime(call("talk", 20, 80, { inferred }), turn("one", 20), turn("two", 90))).toBe(80);
});
