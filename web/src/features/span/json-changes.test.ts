import { expect, test } from "vitest";
import { parseJson } from "@/lib/json";
import { jsonChanges } from "./json-changes";

function changes(before: string, after: string) {
  return jsonChanges(parseJson(before), parseJson(after)).map(({ path, before: was, after: is }) => [path, was, is]);
}

test("equal values have no changes, however they are written", () => {
  expect(changes('{"a": [1, {"b": null}], "c": "x"}', '{"c":"x","a":[1,{"b":null}]}')).toEqual([]);
  expect(changes("9007199254740993", "9007199254740993")).toEqual([]);
});

test("a change is told by its path, as deep inside as it is", () => {
  expect(changes('{"x": 40, "deep": {"list": [1, 2]}}', '{"x": 10, "deep": {"list": [1, 3]}}')).toEqual([
    [".x", 40, 10],
    [".deep.list[1]", 2, 3],
  ]);
  expect(changes("1", '"1"')).toEqual([[".", 1, "1"]]);
  expect(changes("[1]", '{"a": 1}')).toEqual([[".", [1], { a: 1 }]]);
  expect(changes("9007199254740993", "9007199254740992")).toHaveLength(1);
});

test("members and items that came or went have one side alone", () => {
  expect(changes('{"old": 1, "odd key": 2}', '{"odd key": 2, "new": 3}')).toEqual([
    [".old", 1, undefined],
    [".new", undefined, 3],
  ]);
  expect(changes('{"content": ["a"]}', '{"content": ["a", "[audit]"]}')).toEqual([
    [".content[1]", undefined, "[audit]"],
  ]);
  expect(changes('["b", "c"]', '["a", "b", "c"]')).toEqual([[".[0]", undefined, "a"]]);
  expect(changes('["a", "b", "c"]', '["c"]')).toEqual([
    [".[0]", "a", undefined],
    [".[1]", "b", undefined],
  ]);
  expect(changes('{"a": null}', "{}")).toEqual([[".a", null, undefined]]);
});

test("keys of any name are members like others", () => {
  expect(changes('{"__proto__": 1, "constructor": 2}', '{"__proto__": 3, "constructor": 2}')).toEqual([
    [".__proto__", 1, 3],
  ]);
});

test("no depth is too deep", () => {
  const nested = (core: string) => `${"[".repeat(5_000)}${core}${"]".repeat(5_000)}`;
  expect(jsonChanges(parseJson(nested("1")), parseJson(nested("1")))).toEqual([]);
  expect(jsonChanges(parseJson(nested("1")), parseJson(nested("2")))).toHaveLength(1);
});
