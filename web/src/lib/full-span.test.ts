import { describe, expect, test } from "vitest";
import { fullSpan } from "./full-span";

describe("spans", () => {
  test("whose lists are missing or odd have empty ones", () => {
    for (const odd of [undefined, null, 1, "x", [null, 1]]) {
      const span = fullSpan({ attributes: odd, events: odd, links: odd, clipped: odd });
      expect(span).toMatchObject({ attributes: {}, events: [], links: [], clipped: {} });
    }
    expect(fullSpan({ events: [{ name: 1, time_unix_nano: "x" }] }).events).toEqual([
      { name: "", time: null, attributes: {} },
    ]);
  });
});
