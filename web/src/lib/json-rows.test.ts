import { describe, expect, test } from "vitest";
import { CHUNK, firstOpen, NEXT_CHUNK, rowsOfJson, stepsTo } from "./json-rows";

function rows(value: unknown, open = firstOpen(value), shown = new Map<string, number>()) {
  return rowsOfJson(value, { open, shown });
}

describe("lines of a JSON tree", () => {
  test("small values are open all the way down", () => {
    const found = rows({ a: { b: [1] }, c: "x" });
    expect(found.map((row) => [row.depth, row.key, row.shape])).toEqual([
      [0, "a", "open"],
      [1, "b", "open"],
      [2, 0, "scalar"],
      [0, "c", "scalar"],
    ]);
    expect(stepsTo(found[2] ?? fail())).toEqual(["a", "b", 0]);
  });

  test("large values open no more lines than there is room for", () => {
    const value = Array.from({ length: 50 }, (_, at) => ({ at, more: [1, 2, 3] }));
    const found = rows(value, firstOpen(value, 60));
    expect(found.length).toBeGreaterThanOrEqual(50);
    expect(found.length).toBeLessThanOrEqual(60);
  });

  test("a long list shows a part and says how much is left", () => {
    const value = Array.from({ length: 2_500 }, (_, at) => at);
    const some = rows(value);
    expect(some.length).toBe(CHUNK + 1);
    expect(some.at(-1)).toMatchObject({ shape: "more", count: 2_400 });
    const more = rows(value, firstOpen(value), new Map([["$", NEXT_CHUNK]]));
    expect(more.length).toBe(1_001);
    expect(more[999]?.value).toBe(999);
    expect(more.at(-1)).toMatchObject({ shape: "more", count: 1_500 });
  });

  test("ids are made of places, not of keys", () => {
    expect(rows({ __proto__x: 1, 'a".b': 2 }).map((row) => row.id)).toEqual(["$.0", "$.1"]);
  });

  test("scalars and empty values have no lines", () => {
    for (const value of ["text", 1, null, [], {}]) expect(rows(value)).toEqual([]);
  });

  test("depth does not matter", () => {
    let value: unknown = 1;
    for (let at = 0; at < 20_000; at++) value = [value];
    expect(rows(value).length).toBeLessThanOrEqual(60);
  });
});

function fail(): never {
  throw new Error("no such row");
}
