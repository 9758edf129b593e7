import { describe, expect, it } from "vitest";
import { KINDS } from "@/lib/filter";
import { randomRows, sampleRow } from "@/lib/samples.test-data";
import type { SpanRow } from "@/lib/spans";
import { treeOf } from "@/lib/tree";
import { FAILED, LOST, pathOf, sketchOf } from "./minimap-sketch";
import { wholeOf } from "./time-scale";

function sketch(rows: readonly SpanRow[], size = { columns: 10, lanes: 4 }) {
  return sketchOf(rows, treeOf(rows).order, { from: 0, to: 100 }, size, 100);
}

const TOOL = KINDS.indexOf("tool") + 1;
const LLM = KINDS.indexOf("llm") + 1;

describe("sketchOf", () => {
  it("gives each span of a small trace a lane of its own", () => {
    const rows = [sampleRow("a", null, { durationMs: 100 }), sampleRow("b", "a", { kind: "llm", startMs: 50 })];
    const { lanes, cells } = sketch(rows);
    expect(lanes).toBe(2);
    expect([...cells]).toEqual([...Array(10).fill(TOOL), 0, 0, 0, 0, 0, LLM, 0, 0, 0, 0]);
  });

  it("shows a span without length, and where one failed", () => {
    const { cells, failures } = sketch([sampleRow("a", null, { startMs: 99, durationMs: 0, status: "error" })]);
    expect(cells[9]).toBe(TOOL);
    expect([...failures]).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, FAILED]);
  });

  it("shows where a call was lost, but a failure where there is one too", () => {
    const lost = { startMs: 10, durationMs: null, status: "lost" } as const;
    const failed = { startMs: 50, durationMs: 5, status: "error" } as const;
    const { failures } = sketch([
      sampleRow("a", null, lost),
      sampleRow("b", null, failed),
      sampleRow("c", null, { ...lost, startMs: 51 }),
    ]);
    expect([...failures]).toEqual([0, LOST, 0, 0, 0, FAILED, 0, 0, 0, 0]);
  });

  it("draws any trace without leaving its cells", () => {
    for (let seed = 0; seed < 20; seed++) {
      const rows = randomRows(seed, 200);
      const drawn = sketchOf(rows, treeOf(rows).order, wholeOf(rows, 900), { columns: 50, lanes: 7 }, 900);
      expect(drawn.cells).toHaveLength(350);
      expect(Math.max(...drawn.cells)).toBeLessThanOrEqual(KINDS.length);
    }
  });

  it("draws nothing of nothing", () => {
    expect(pathOf(sketch([]), TOOL)).toBe("");
  });
});

describe("pathOf", () => {
  it("puts neighbours of a lane together, and keeps lanes apart", () => {
    const cells = new Uint8Array([1, 1, 0, 1, 1, 2, 2, 1]);
    const drawn = { columns: 4, lanes: 2, cells, failures: new Uint8Array(4) };
    expect(pathOf(drawn, 1)).toBe("M0 0h2v1h-2zM3 0h1v1h-1zM0 1h1v1h-1zM3 1h1v1h-1z");
    expect(pathOf(drawn, 2)).toBe("M1 1h2v1h-2z");
  });
});
