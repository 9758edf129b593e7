import { describe, expect, it } from "vitest";
import { spansWith, valuePath } from "./same-value";

describe("spans with the same value", () => {
  it("writes a path as the filter takes it", () => {
    expect(valuePath(["invoice", "rows", 0, "id"])).toBe("invoice.rows[0].id");
    expect(valuePath([2, "text"])).toBe("[2].text");
  });

  it("leads to the spans that have this argument or result", () => {
    expect(spansWith("args", ["invoice"], "INV-7")).toBe("#/spans?args=invoice%3DINV-7");
    expect(spansWith("result", ["rows", 0, "paid"], true)).toBe("#/spans?result=rows%5B0%5D.paid%3Dtrue");
  });

  it("leads nowhere from what no filter can name", () => {
    expect(spansWith("args", ["a=b"], "x")).toBeNull();
    expect(spansWith("args", [], "x")).toBeNull();
    expect(spansWith("args", ["text"], "x".repeat(2000))).toBeNull();
    expect(spansWith("args", ["rows"], [1])).toBeNull();
  });
});
