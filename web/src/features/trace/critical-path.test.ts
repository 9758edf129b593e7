import { describe, expect, it } from "vitest";
import { atOnce, randomRows, sampleRow } from "@/lib/samples.test-data";
import type { SpanRow } from "@/lib/spans";
import { treeOf } from "@/lib/tree";
import { criticalPathSteps } from "./critical-path";

const criticalPath = atOnce(criticalPathSteps);

function row(id: string, parentId: string | null, from: number, to: number): SpanRow {
  return sampleRow(id, parentId, { startMs: from, durationMs: to - from });
}

function own(rows: readonly SpanRow[]): Record<string, readonly number[]> {
  const path = criticalPath(rows, treeOf(rows), 0);
  return Object.fromEntries([...path.own].map(([at, pairs]) => [rows[at]?.id, pairs]));
}

describe("criticalPath", () => {
  it("follows what ended last, and gives a span the time between its children", () => {
    expect(own([row("run", null, 0, 100), row("a", "run", 10, 40), row("b", "run", 50, 90)])).toEqual({
      run: [90, 100, 40, 50, 0, 10],
      a: [10, 40],
      b: [50, 90],
    });
  });

  it("leaves out a call that ran beside a longer one", () => {
    expect(own([row("run", null, 0, 100), row("short", "run", 0, 60), row("long", "run", 0, 100)])).toEqual({
      long: [0, 100],
    });
  });

  it("ends with the parent where a child outlived it", () => {
    expect(own([row("run", null, 0, 50), row("late", "run", 20, 80)])).toEqual({ run: [0, 20], late: [20, 50] });
  });

  it("goes through clocks that overlap a little", () => {
    expect(own([row("run", null, 0, 100), row("a", "run", 0, 50.2), row("b", "run", 50, 100)])).toEqual({
      a: [0, 50],
      b: [50, 100],
    });
  });

  it("tells what runs until now", () => {
    const rows = [sampleRow("run", null, { status: "running", durationMs: null }), row("a", "run", 0, 10)];
    expect(criticalPath(rows, treeOf(rows), 30).own.get(0)).toEqual([10, 30]);
  });

  it("explains the time from the first start to the last end of one root without a gap or an overlap", () => {
    for (let seed = 0; seed < 60; seed++) {
      const rows = randomRows(seed, 40).map((each) => ({ ...each, parentId: each.parentId ?? "top" }));
      const all = [row("top", null, -10, 2000), ...rows];
      const pairs: [number, number][] = [];
      for (const flat of criticalPath(all, treeOf(all), 1500).own.values()) {
        for (let at = 0; at < flat.length; at += 2) pairs.push([flat[at] as number, flat[at + 1] as number]);
      }
      pairs.sort(([a], [b]) => a - b);
      expect(pairs[0]?.[0]).toBe(-10);
      expect(pairs.at(-1)?.[1]).toBe(2000);
      for (let at = 1; at < pairs.length; at++) expect(pairs[at]?.[0]).toBeCloseTo(pairs[at - 1]?.[1] as number, 9);
    }
  });

  it("survives a deep chain and an empty trace", () => {
    const chain = [...Array(50_000).keys()].map((at) => row(`s${at}`, at ? `s${at - 1}` : null, at / 1000, 100));
    expect(criticalPath(chain, treeOf(chain), 0).through.size).toBe(50_000);
    expect(criticalPath([], treeOf([]), 0).own.size).toBe(0);
  });
});
