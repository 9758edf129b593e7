import { describe, expect, it } from "vitest";
import { LiveRows } from "./live-rows";
import { randomFrom, sampleRow } from "./samples.test-data";
import type { SpanRow } from "./spans";
import { type Tree, treeOf } from "./tree";

/** The same in the simplest way. */
function naive(rows: readonly SpanRow[], newer: readonly SpanRow[]): SpanRow[] {
  const all = new Map([...rows, ...newer].map((row) => [row.id, row]));
  return [...all.values()].sort((a, b) => a.startMs - b.startMs);
}

const starts = (rows: readonly SpanRow[]) => rows.map((row) => row.startMs);
const byId = (rows: readonly SpanRow[]) => rows.toSorted((a, b) => a.id.localeCompare(b.id));

describe("LiveRows", () => {
  it("stays in order and complete however changes come", () => {
    for (let seed = 0; seed < 60; seed++) {
      const random = randomFrom(seed);
      const live = new LiveRows();
      let expected: SpanRow[] = [];
      for (let batch = 0; batch < 12; batch++) {
        const newer = [...Array(Math.floor(random() * 8)).keys()].map(() =>
          sampleRow(`s${Math.floor(random() * 40)}`, null, {
            startMs: Math.floor(random() * 50) + batch,
            durationMs: random(),
          }),
        );
        live.merge(newer);
        expected = naive(expected, newer);
        expect(starts(live.rows)).toEqual(starts(expected));
        expect(byId(live.rows)).toEqual(byId(expected));
      }
    }
  });

  it("leaves lists that were handed out as they are, and rows that did not change the same objects", () => {
    const [a, b] = [sampleRow("a"), sampleRow("b", null, { startMs: 5 })];
    const live = new LiveRows([a, b]);
    const before = live.rows;
    live.merge([sampleRow("b", null, { startMs: 5, durationMs: 7 }), sampleRow("c", null, { startMs: 2 })]);
    expect(before).toEqual([a, b]);
    expect(live.rows.map((row) => row.id)).toEqual(["a", "c", "b"]);
    expect(live.rows[0]).toBe(a);
    expect(live.rows[2]?.durationMs).toBe(7);
  });

  it("takes the last word on a span that is told twice at once", () => {
    const live = new LiveRows();
    live.merge([sampleRow("a", null, { status: "running" }), sampleRow("a")]);
    expect(live.rows.map((row) => row.status)).toEqual(["ok"]);
  });

  it("keeps its tree where spans only end, and no other one", () => {
    const [a, b] = [sampleRow("a"), sampleRow("b", "a", { startMs: 5, status: "running", durationMs: null })];
    const live = new LiveRows([a, b]);
    const before = treeOf(live.rows);
    live.merge([{ ...b, status: "ok", durationMs: 3 }]);
    expect(treeOf(live.rows)).toBe(before);
    live.merge([{ ...b, parentId: null }]);
    expect([...treeOf(live.rows).parent]).toEqual([-1, -1]);
    live.merge([sampleRow("c", "a", { startMs: 7 })]);
    expect([...treeOf(live.rows).parent]).toEqual([-1, -1, 0]);
    live.merge([{ ...a, startMs: 6 }]);
    expect(treeOf(live.rows).places.get("a")).toBe(1);
  });

  it("grows a tree that is the one of its rows, whatever comes at its end", () => {
    const plain = ({ places: _, ...tree }: Tree) => tree;
    for (let seed = 0; seed < 60; seed++) {
      const random = randomFrom(seed);
      const live = new LiveRows();
      const lists: (readonly SpanRow[])[] = [];
      for (let batch = 0; batch < 12; batch++) {
        // Most begin after all previous rows, some do not; parents come before, after, never, or in a cycle.
        const newer = [...Array(Math.floor(random() * 8)).keys()].map((at) =>
          sampleRow(
            `s${batch}-${at}`,
            random() < 0.2 ? null : `s${Math.floor(random() * 14)}-${Math.floor(random() * 8)}`,
            {
              startMs: batch * 10 + at - (random() < 0.02 ? 15 : 0),
            },
          ),
        );
        live.merge(newer);
        lists.push(live.rows);
        if (random() < 0.7) treeOf(live.rows);
      }
      for (const rows of lists) {
        expect(plain(treeOf(rows))).toEqual(plain(treeOf([...rows])));
        const { places } = treeOf(rows);
        const at = new Map(rows.map((row, index) => [row, index]));
        expect(live.rows.filter((row) => places.get(row.id) !== at.get(row))).toEqual([]);
      }
    }
  });
});
