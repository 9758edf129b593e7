import { expect, test } from "vitest";
import { countingSpan, duplicatesOf, otherSpan } from "./duplicates";
import { rowsInTurn } from "./samples.test-data";
import { treeOf } from "./tree";

const row = rowsInTurn(1);

const ROWS = [
  row("framework", null, { kind: "llm", name: "generate", foldedInto: "sdk" }),
  row("sdk", "framework", { kind: "llm", name: "chat gpt" }),
  row("http", "sdk", { kind: "llm", name: "POST", foldedInto: "sdk" }),
  row("stray", null, { kind: "llm", foldedInto: "gone" }),
];
const tree = treeOf(ROWS);

test("what tells of a call once more is found by the span that counts", () => {
  const duplicates = duplicatesOf(ROWS);
  expect(duplicates.get("sdk")?.map(({ id }) => id)).toEqual(["framework", "http"]);
  expect(duplicates.get("framework")).toBeUndefined();
  expect(duplicatesOf(ROWS)).toBe(duplicates);
});

test("the other span is told by its name and on which side it stands", () => {
  expect(countingSpan(ROWS, tree, 0)).toEqual({ name: "chat gpt", where: "below" });
  expect(countingSpan(ROWS, tree, 2)).toEqual({ name: "chat gpt", where: "above" });
  expect(countingSpan(ROWS, tree, 1)).toBeNull();
  expect(countingSpan(ROWS, tree, 3)).toBeNull();
  expect(otherSpan(ROWS, tree, 1, "framework")).toEqual({ name: "generate", where: "above" });
  expect(otherSpan(ROWS, tree, 3, "sdk")).toEqual({ name: "chat gpt", where: "elsewhere" });
});
