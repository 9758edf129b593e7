import { describe, expect, it } from "vitest";
import { sampleRow } from "@/lib/samples.test-data";
import { barPlace, labelOffset } from "./bar-place";

const VIEW = { from: 0, to: 100 };
const place = (startMs: number, durationMs: number | null, over = {}) =>
  barPlace(sampleRow("a", null, { startMs, durationMs, ...over }), VIEW, 60);

describe("barPlace", () => {
  it("puts the label where there is room for it", () => {
    expect(place(10, 20)).toEqual({ left: 10, width: 20, label: "after" });
    expect(place(60, 30)).toEqual({ left: 60, width: 30, label: "before" });
    expect(place(50, 15).label).toBe("before");
    expect(place(0, 100)).toEqual({ left: 0, width: 100, label: "inside" });
  });

  it("puts no label with the word of a status where its bar leaves no room for both", () => {
    expect(place(30, 60, { status: "cancelled" }).label).toBe("inside");
    expect(place(50, 40, { status: "cancelled" }).label).toBe("before");
    expect(place(30, 60, { status: "error" }).label).toBe("before");
  });

  it("tells on which side a span is that is out of sight", () => {
    expect(place(-50, 20).label).toBe("earlier");
    expect(place(150, 20).label).toBe("later");
  });

  it("lets what runs reach until now, and gives no length to what was lost or ended before it began", () => {
    expect(place(20, null, { status: "running" }).width).toBe(40);
    expect(place(20, null, { status: "lost" }).width).toBe(0);
    expect(place(20, -5).width).toBe(0);
  });
});

describe("labelOffset", () => {
  it("holds a label at one side alone", () => {
    for (const each of [place(10, 20), place(60, 30), place(0, 100), place(-50, 20), place(150, 20)]) {
      const { left, right } = labelOffset(each);
      expect([left, right].filter((side) => side === "auto")).toHaveLength(1);
    }
  });
});
