import { describe, expect, test } from "vitest";
import { ExactNumber, entriesOf, isObject, jsonText, member, parsedText, parseJson, preview, sizeOf } from "./json";

/** A value with doubles, as `JSON.parse` returns them. */
function plain(value: unknown): unknown {
  if (value instanceof ExactNumber) return value.valueOf();
  if (Array.isArray(value)) return value.map(plain);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, plain(held)]));
}

describe("reading JSON", () => {
  test("agrees with JSON.parse on ordinary documents", () => {
    for (const text of [
      "null",
      " [ ] ",
      '{"a":[1,2.5,-3e2,true,false,null,"x\\n\\u00e9\\ud83d\\ude00"],"b":{"":{}}}',
      '"\\"\\\\"',
      '{"a": "\\\\"}',
      "[[],[[]],{}]",
      "0.16252105000057782",
      "-0",
      "1e21",
      "[1,\n2\t,3\r]",
    ]) {
      expect(plain(parseJson(text))).toEqual(JSON.parse(text));
    }
  });

  test("refuses what JSON.parse refuses", () => {
    for (const text of [
      "",
      "[1,]",
      "{,}",
      '{"a"}',
      '{"a":1,}',
      "{1:2}",
      "[1 2]",
      "01",
      "+1",
      ".5",
      "1.",
      "NaN",
      "Infinity",
      '"\n"',
      '"\\x"',
      '"open',
      "[",
      '{"a":[1}',
      "1 2",
      "tru",
      "\ufeff1",
    ]) {
      expect(() => JSON.parse(text), text).toThrow();
      expect(() => parseJson(text), text).toThrow(SyntaxError);
    }
  });

  test("keeps numbers as they were written", () => {
    for (const text of [
      "9007199254740993",
      "12345678901234567890",
      "1e400",
      "-1e400",
      "1e-400",
      "0.12345678901234567890123",
      "1".repeat(5000),
      "1.0",
      "1e5",
      "1E+5",
      "-0",
      "0e999",
    ]) {
      const value = parseJson(text);
      expect(value, text).toBeInstanceOf(ExactNumber);
      expect(jsonText(value)).toBe(text);
    }
    for (const text of ["9007199254740992", "0.1", "100000000000000000000", "0.30000000000000004", "1e-7", "-1"]) {
      expect(parseJson(text), text).toBe(Number(text));
    }
  });

  test("keeps keys that are traps as keys", () => {
    const value = parseJson('{"__proto__":{"polluted":true},"constructor":1,"toString":2}') as object;
    expect(entriesOf(value).map(({ key }) => key)).toEqual(["__proto__", "constructor", "toString"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect("polluted" in {}).toBe(false);
    expect(member({}, "constructor")).toBeUndefined();
    expect(jsonText(value, 0)).toBe('{"__proto__":{"polluted":true},"constructor":1,"toString":2}');
  });

  test("keeps every member of a repeated key and says which are overridden", () => {
    const value = parseJson('{"a":1,"b":2,"a":3}') as object;
    expect(sizeOf(value)).toBe(3);
    expect(entriesOf(value)).toEqual([
      { key: "a", value: 1, overridden: true },
      { key: "b", value: 2 },
      { key: "a", value: 3 },
    ]);
    expect(entriesOf(value, 1, 2)).toEqual([{ key: "b", value: 2 }]);
    expect(member(value, "a")).toBe(3);
  });

  test("keeps members in their order, those with a name like an index too", () => {
    for (const text of [
      '{"b":1.0,"a":[1e5,-0],"2":1,"1":2}',
      '{"1":{"0":1,"-1":2,"4294967295":3,"01":4},"a":5,"1":6}',
    ]) {
      expect(jsonText(parseJson(text), 0)).toBe(text);
    }
    expect(member(parseJson('{"b":0,"2":1}'), "2")).toBe(1);
  });

  test("goes as deep as the text does, there and back", () => {
    const text = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    expect(jsonText(parseJson(text), 0)).toBe(text);
  });

  test("reads only texts that begin like an object or a list", () => {
    expect(parsedText(' {"a": 1}')).toEqual({ a: 1 });
    for (const text of ["12", '"a"', "{broken", "[1", "a [1]", ""]) expect(parsedText(text)).toBeUndefined();
  });
});

describe("writing JSON", () => {
  test("agrees with JSON.stringify", () => {
    const value = { a: [1, "x", null, { b: [] }], c: {}, d: "é\u2028\ud800" };
    expect(jsonText(value)).toBe(JSON.stringify(value, null, 2));
    expect(jsonText(value, 0)).toBe(JSON.stringify(value));
  });

  test("previews stay short whatever they are made of", () => {
    expect(preview({ city: "Lisbon", nights: 2, more: { a: 1 } })).toBe('{city: "Lisbon", nights: 2, more: {…}}');
    expect(preview([])).toBe("[]");
    for (const value of [Array(9999).fill(1), { ["k".repeat(9999)]: "v".repeat(9999) }, "x".repeat(9999)]) {
      expect(preview(value).length).toBeLessThan(130);
    }
  });
});
