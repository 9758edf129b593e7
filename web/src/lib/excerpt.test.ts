import { describe, expect, test } from "vitest";
import { excerpt } from "./excerpt";

describe("excerpts", () => {
  test("cut long texts at a line or a character, and short ones not at all", () => {
    expect(excerpt("a\nb", 20, 100)).toEqual({ text: "a\nb", left: 0 });
    const lines = Array.from({ length: 50 }, (_, at) => `line ${at}`).join("\n");
    const cut = excerpt(lines, 20, 4000);
    expect(cut.text.split("\n")).toHaveLength(20);
    expect(cut.text.length + cut.left).toBe(lines.length);
    expect(excerpt("x".repeat(10_000), 20, 4000)).toMatchObject({ left: 6000 });
  });

  test("never cut through a character, and never save one line", () => {
    expect(excerpt(`${"x".repeat(99)}😀${"y".repeat(900)}`, 20, 100).text).toBe("x".repeat(99));
    const lines = Array.from({ length: 22 }, (_, at) => `line ${at}`).join("\n");
    expect(excerpt(lines, 20, 4000).left).toBe(0);
  });
});
