import { expect, test } from "vitest";
import { callWords } from "./words";

const figures = { ms: 0, running: 0, errors: 0, unended: 0, inputTokens: null, outputTokens: null, costUsd: null };

test("inferred calls are told apart from recorded ones, and never added to them", () => {
  expect(callWords({ ...figures, calls: 3, inferred: 0 })).toBe("3 calls");
  expect(callWords({ ...figures, calls: 3, inferred: 2 })).toBe("1 call + 2 inferred");
  expect(callWords({ ...figures, calls: 2, inferred: 2 })).toBe("2 inferred calls");
  expect(callWords({ ...figures, calls: 1, inferred: 0 }, "request")).toBe("1 request");
});
