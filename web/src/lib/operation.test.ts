import { expect, test } from "vitest";
import { partsOfName } from "./operation";

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
