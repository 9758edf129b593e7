import { expect, test } from "vitest";
import { jsonPath, type Step } from "./json-path";

test("a path reads as jq takes it", () => {
  const cases: [Step[], string][] = [
    [[], "."],
    [["a", "b_1"], ".a.b_1"],
    [["a", 0, "odd key"], '.a[0]["odd key"]'],
    [[0], ".[0]"],
    [["odd-key", "x"], '.["odd-key"].x'],
    [["__proto__"], ".__proto__"],
    [["1"], '.["1"]'],
    [[""], '.[""]'],
    [['quote " and \\(slash)'], '.["quote \\" and \\\\(slash)"]'],
  ];
  for (const [steps, path] of cases) expect(jsonPath(steps)).toBe(path);
});

test("hidden characters in a key are escaped, so that the path says what it takes", () => {
  expect(jsonPath(["a\u202eb\u200b\u0000"])).toBe('.["a\\u202eb\\u200b\\u0000"]');
});
