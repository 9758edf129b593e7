import { expect, test } from "vitest";
import { searchedFor, wordsIn } from "./find-words";

function found(search: string, text: string): string[] {
  const words = wordsIn(search);
  return words ? [...text.matchAll(words)].map(([match]) => match) : [];
}

test("the last word that is typed may still go on", () => {
  expect(searchedFor(" inv-11 ")).toBe("inv-11*");
  expect(searchedFor('"two words"')).toBe('"two words"');
  expect(searchedFor('"two wor')).toBe('"two wor');
  expect(searchedFor("all*")).toBe("all*");
});

test("each word of a search is found, and a phrase with whatever stands between its words", () => {
  expect(found("inv-1137 Paid", "paid: INV 1137, unpaid")).toEqual(["paid", "INV 1137"]);
  expect(found('"two words"', "two, words and two")).toEqual(["two, words"]);
  expect(found("a.b", "a+b axb")).toEqual(["a+b"]);
  expect(wordsIn("***")).toBeNull();
});
