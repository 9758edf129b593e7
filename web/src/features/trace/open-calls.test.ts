import { expect, test } from "vitest";
import { sampleRow } from "@/lib/samples.test-data";
import { treeOf } from "@/lib/tree";
import { openCalls } from "./open-calls";

test("what is open and waits for nothing else comes, the longest open one first", () => {
  const rows = [
    sampleRow("root", null, { status: "running" }),
    sampleRow("late", "root", { status: "running", startMs: 30 }),
    sampleRow("agent", "root", { status: "running", startMs: 1 }),
    sampleRow("early", "agent", { status: "running", startMs: 10 }),
    sampleRow("done", "agent", { status: "ok", startMs: 2 }),
    sampleRow("copy", "root", { status: "running", startMs: 10, foldedInto: "early" }),
  ];
  expect(openCalls(rows, treeOf(rows)).map((at) => rows[at]?.id)).toEqual(["early", "late"]);
});

test("a run that is over waits for nothing", () => {
  const rows = [sampleRow("root", null, { status: "ok" })];
  expect(openCalls(rows, treeOf(rows))).toEqual([]);
});
