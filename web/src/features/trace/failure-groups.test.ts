import { describe, expect, it } from "vitest";
import { sampleRow } from "@/lib/samples.test-data";
import { failureGroups, goodTrace, nextOfGroup } from "./failure-groups";

const failed = (id: string, errorType: string | null, over = {}) =>
  sampleRow(id, null, { status: "error", errorType, ...over });

describe("failureGroups", () => {
  const rows = [
    failed("a", "KeyError"),
    sampleRow("b", null),
    failed("c", "RateLimitError"),
    failed("d", null, { tool: "send_mail" }),
    failed("e", "RateLimitError"),
    failed("f", null, { status: "lost" }),
  ];
  const groups = failureGroups(rows, [0, 2, 3, 4, 5]);

  it("counts the failures of each error, or of what failed without a type, the most frequent first", () => {
    expect(groups).toEqual([
      { name: "RateLimitError", hasType: true, failures: [1, 3] },
      { name: "KeyError", hasType: true, failures: [0] },
      { name: "send_mail", hasType: false, failures: [2] },
      { name: "lost", hasType: true, failures: [4] },
    ]);
  });

  it("goes on to the next failure with the same error, and after the last to the first", () => {
    const [limits] = groups;
    if (!limits) throw new Error("no group");
    expect([0, 1, 2, 3, 4].map((current) => nextOfGroup(limits, current))).toEqual([1, 3, 3, 1, 1]);
  });
});

describe("goodTrace", () => {
  const root = (traceId: string, startMs: number, status: "ok" | "error" = "ok", name = "answer") =>
    sampleRow(traceId, null, { traceId, startMs, status, name });
  const call = failed("call", "KeyError", { traceId: "bad", parentId: "bad", startMs: 21 });

  it("is the last one before the failed one with its name that went well", () => {
    const rows = [
      root("first", 0),
      root("good", 10),
      root("other", 15, "ok", "report"),
      root("bad", 20, "error"),
      call,
    ];
    expect(goodTrace([...rows, root("later", 30)], call)).toBe("good");
  });

  it("is the first one after it if none was before it", () => {
    expect(goodTrace([root("bad", 20, "error"), call, root("worse", 25, "error"), root("later", 30)], call)).toBe(
      "later",
    );
  });

  it("is none if none of its name went well", () => {
    expect(goodTrace([root("bad", 20, "error"), call, root("other", 30, "ok", "report")], call)).toBeNull();
  });
});
