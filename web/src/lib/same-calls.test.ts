import { expect, test } from "vitest";
import { countingTeller, retoldOf, tellerFrom } from "./same-calls";
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
  const retold = retoldOf(ROWS);
  expect(retold.get("sdk")?.map(({ id }) => id)).toEqual(["framework", "http"]);
  expect(retold.get("framework")).toBeUndefined();
  expect(retoldOf(ROWS)).toBe(retold);
});

test("the other span is told by its name and on which side it stands", () => {
  expect(countingTeller(ROWS, tree, 0)).toEqual({ name: "chat gpt", where: "below" });
  expect(countingTeller(ROWS, tree, 2)).toEqual({ name: "chat gpt", where: "above" });
  expect(countingTeller(ROWS, tree, 1)).toBeNull();
  expect(countingTeller(ROWS, tree, 3)).toBeNull();
  expect(tellerFrom(ROWS, tree, 1, "framework")).toEqual({ name: "generate", where: "above" });
});
