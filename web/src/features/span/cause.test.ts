import { expect, test } from "vitest";
import { rowsInTurn } from "@/lib/samples.test-data";
import type { SpanRow } from "@/lib/spans";
import { causeOf, needsMessages } from "./cause";

const row = rowsInTurn(1, { kind: "other", durationMs: 1 });
const failed = { status: "error" } as const;

/** The id of the cause, where each failed span has a message by its id. */
function cause(rows: readonly SpanRow[], id: string, messages: Record<string, string> = {}) {
  return causeOf(rows, id, new Map(Object.entries(messages)))?.id;
}

test("a failure is followed down to the call that no failed call is below", () => {
  const rows = [row("a", null, failed), row("b", "a", failed), row("c", "b", failed)];
  expect(cause(rows, "a")).toBe("c");
  expect(cause(rows, "c")).toBeUndefined();
});

test("a call that fails with its own message is explained by the first failure below it", () => {
  const rows = [row("a", null, failed), row("ok", "a"), row("b", "a", failed), row("late", "a", failed)];
  expect(cause(rows, "a", { a: "gave up after two", b: "connection refused", late: "read timed out" })).toBe("b");
  expect(cause(rows, "a")).toBe("b");
});

test("a call that passes an error on is explained by the last call with that error", () => {
  const rows = [
    row("agent", null, failed),
    row("first", "agent", failed),
    row("second", "agent", failed),
    row("inner", "second", failed),
    row("other", "agent", failed),
  ];
  const timeout = "no answer within 30 s";
  const messages = {
    agent: `tool failed: ${timeout}`,
    first: timeout,
    second: timeout,
    inner: "",
    other: "no such file",
  };
  expect(cause(rows, "agent", messages)).toBe("inner");
});

test("short messages are passed on only whole", () => {
  const rows = [row("a", null, failed), row("b", "a", failed), row("c", "a", failed)];
  expect(cause(rows, "a", { a: "Error 404", b: "404", c: "4" })).toBe("b");
  expect(cause(rows, "a", { a: "404", b: "500", c: "404" })).toBe("c");
});

test("a failure below a call that survived it, and a lost call, count; a duplicate does not", () => {
  const rows = [
    row("a", null, failed),
    row("ok", "a"),
    row("twin", "ok", { ...failed, foldedInto: "b" }),
    row("b", "ok", { status: "lost" }),
  ];
  expect(cause(rows, "a")).toBe("b");
});

test("messages are needed where more than one call failed beside another", () => {
  const rows = [row("a", null, failed), row("b", "a", failed), row("c", "b", failed), row("d", "b", failed)];
  expect(["a", "b", "c"].map((id) => needsMessages(rows, id))).toEqual([true, true, false]);
});

test("a span that is its own parent has no cause", () => {
  expect(cause([row("f", "f", failed)], "f")).toBeUndefined();
});
