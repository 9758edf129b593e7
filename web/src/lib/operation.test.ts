import { expect, test } from "vitest";
import { partsOfName } from "./operation";

test("what is known of a call tells any operation from what it is done to", () => {
  expect(partsOfName("chat gpt-4.1", "gpt-4.1")).toEqual(["chat ", "gpt-4.1"]);
  expect(partsOfName("gpt-4.1", "gpt-4.1")).toEqual(["", "gpt-4.1"]);
  expect(partsOfName("my-gpt-4.1", "gpt-4.1")).toEqual(["", "my-gpt-4.1"]);
  expect(partsOfName("execute_tool book", "other")).toEqual(["execute_tool ", "book"]);
});

test.each([
  ["execute_tool book_hotel", "execute_tool ", "book_hotel"],
  ["invoke_workflow weekend trip", "invoke_workflow ", "weekend trip"],
  ["chat gpt-4.1", "", "chat gpt-4.1"],
  ["execute_tool", "", "execute_tool"],
  ["execute_tool  ", "", "execute_tool  "],
  ["", "", ""],
])("%j is an operation and its target", (name, operation, target) => {
  expect(partsOfName(name)).toEqual([operation, target]);
});
