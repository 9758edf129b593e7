import { describe, expect, it } from "vitest";
import { placed, type TimelineBar } from "./timeline";

const bar = (offset_ms: number, duration_ms: number | null, more: Partial<TimelineBar> = {}): TimelineBar => ({
  offset_ms,
  duration_ms,
  kind: "tool",
  status: "ok",
  ...more,
});

describe("placed", () => {
  it("keeps every bar inside the width, whatever the clocks say", () => {
    const odd = [bar(-50, 20), bar(90, 500), bar(10, -5), bar(500, 1), bar(0, null, { status: "lost" })];
    for (const { left, width } of placed(odd, 100)) {
      expect(left).toBeGreaterThanOrEqual(0);
      expect(width).toBeGreaterThanOrEqual(0);
      expect(left + width).toBeLessThanOrEqual(1);
    }
  });

  it("lets what runs reach the right end, and what was lost stay where it began", () => {
    const [running, lost] = placed([bar(40, null, { status: "running" }), bar(20, null, { status: "lost" })], 100);
    expect(running).toMatchObject({ left: 0.4, width: 0.6 });
    expect(lost).toMatchObject({ left: 0.2, width: 0 });
  });

  it("paints frames first and the shorter over the longer", () => {
    const bars = [bar(0, 10, { kind: "llm" }), bar(0, 50), bar(0, 90, { kind: "agent" })];
    expect(placed(bars, 100).map(({ kind }) => kind)).toEqual(["agent", "tool", "llm"]);
  });

  it("leaves out JSON-RPC that carries a call, but not one that failed on its own", () => {
    const carried = bar(12, 30, { kind: "rpc" });
    expect(placed([bar(10, 40), carried], 100)).toHaveLength(1);
    expect(placed([bar(10, 40), { ...carried, status: "error" }], 100)).toHaveLength(2);
    expect(placed([bar(10, 40), bar(60, 5, { kind: "rpc" })], 100)).toHaveLength(2);
  });

  it("has nothing to show for a run without length", () => {
    expect(placed([bar(0, 0)], 0)).toEqual([]);
    expect(placed([bar(0, 0)], Number.NaN)).toEqual([]);
  });
});
