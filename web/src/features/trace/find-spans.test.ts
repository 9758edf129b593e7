import { describe, expect, it } from "vitest";
import { sampleRow } from "@/lib/samples.test-data";
import { findSpans } from "./find-spans";

const rows = [
  sampleRow("a", null, { name: "invoke_agent Planner", agent: "Planner" }),
  sampleRow("b", null, { name: "chat", model: "gpt-4.1", agent: "Planner" }),
  sampleRow("c", null, { name: "__proto__", tool: "book_hotel", errorType: "TimeoutError" }),
];
const find = (text: string) => findSpans(rows, [2, 0, 1], text);

describe("findSpans", () => {
  it("finds names, agents, models, tools and errors, whatever their case, in the order of the lines", () => {
    expect(find("planner")).toEqual([0, 1]);
    expect(find("GPT")).toEqual([1]);
    expect(find("timeout")).toEqual([2]);
    expect(find("hotel")).toEqual([2]);
    expect(find("__proto__")).toEqual([2]);
  });

  it("finds nothing for nothing", () => {
    expect(find("   ")).toEqual([]);
    expect(find("(")).toEqual([]);
  });
});
