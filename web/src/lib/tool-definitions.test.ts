import { describe, expect, test } from "vitest";
import { readTools } from "./tool-definitions";

describe("tool definitions", () => {
  test("of every API have a name, a description and a schema", () => {
    const schema = { type: "object" };
    const tool = { name: "f", description: "does f", schema };
    for (const form of [
      { type: "function", function: { name: "f", description: "does f", parameters: schema } },
      { type: "function", name: "f", description: "does f", parameters: schema },
      { name: "f", description: "does f", input_schema: schema },
      { name: "f", description: "does f", inputSchema: schema },
      { functionDeclarations: [{ name: "f", description: "does f", parameters: schema }] },
    ]) {
      expect(readTools([form])).toEqual([tool]);
      expect(readTools(JSON.stringify([form]))).toEqual([tool]);
    }
  });

  test("that are none are left out", () => {
    for (const wrong of [null, undefined, 1, "x", "[", {}, [null, 1, "x", {}, []]])
      expect(readTools(wrong)).toEqual([]);
  });
});
