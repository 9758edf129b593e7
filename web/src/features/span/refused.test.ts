import { expect, test } from "vitest";
import { parametersOf, refusedIn } from "./refused";

const NAMES = ["city", "nights"];

test.each([
  [
    "pydantic",
    "1 validation error for bookArguments\nnights\n  Input should be a valid integer [type=int_parsing, input_value='two']",
    [{ name: "nights", reason: "Input should be a valid integer" }],
  ],
  ["JSON Schema", "'city' is a required property", [{ name: "city", reason: "'city' is a required property" }]],
  [
    "Python",
    "TypeError: book() missing 1 required positional argument: 'nights'",
    [{ name: "nights", reason: "TypeError: book() missing 1 required positional argument: 'nights'" }],
  ],
  [
    "Zod",
    'Invalid arguments for tool book: [\n {\n "code": "invalid_type",\n "path": [\n "city"\n ],\n "message": "Required" }]',
    [{ name: "city", reason: '"city"' }],
  ],
  ["another error", "KeyError: 'city'", []],
  ["a refusal of something else", "invalid credentials for 'booking.example'", []],
])("what %s says of an argument is found", (_, message, refused) => {
  expect(refusedIn(message, NAMES)).toEqual(refused);
});

test("the parameters of a schema are told with their types and whether they are needed", () => {
  const schema = {
    type: "object",
    required: ["city"],
    properties: {
      city: { type: "string", description: "Where to" },
      nights: { anyOf: [{ type: "integer" }, { type: "null" }] },
      kind: { enum: ["a", "b"] },
    },
  };
  expect(parametersOf(schema)).toEqual([
    { name: "city", type: "string", required: true, description: "Where to" },
    { name: "nights", type: "integer or null", required: false, description: null },
    { name: "kind", type: "one of a list", required: false, description: null },
  ]);
  expect(parametersOf("no schema")).toEqual([]);
});
