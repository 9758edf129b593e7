import { expect, test } from "vitest";
import type { DiffRun } from "@/api/diff";
import { diffSearch, lastingName } from "./url";

test("an address keeps what it can mean, and nothing else", () => {
  expect(diffSearch({ a: "last~1", b: "run-b", at: "12", all: "1" })).toEqual({
    a: "last~1",
    b: "run-b",
    at: 12,
    all: "1",
  });
  expect(diffSearch({ a: "../token", b: ["x", "y"], at: "-1", all: "yes", other: "x" })).toEqual({});
});

test("an address keeps the ids of runs, and names a run that it only points at", () => {
  const run = { label: "trace-1", run_id: "run-1", trace_id: "trace-1" } as DiffRun;
  expect(lastingName("run-1", run)).toBe("run-1");
  expect(lastingName("trace-1", run)).toBe("trace-1");
  expect(lastingName("last~1", run)).toBe("trace-1");
  expect(lastingName("run", run)).toBe("trace-1");
  expect(lastingName(undefined, run)).toBe("trace-1");
});
