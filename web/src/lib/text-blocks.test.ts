import { expect, test } from "vitest";
import { isPatch, textBlocks } from "./text-blocks";

const looks = (text: string) => textBlocks(text).map(({ look, text: lines }) => [look, lines]);

test("code between fences is set apart, with its fences", () => {
  expect(looks("Try:\n\n```python\nprint(1)\n```\nDone.")).toEqual([
    ["prose", "Try:\n"],
    ["code", "```python\nprint(1)\n```"],
    ["prose", "Done."],
  ]);
  expect(looks("1. so:\n\n   ~~~\n   ```\n   ~~~")).toEqual([
    ["prose", "1. so:\n"],
    ["code", "   ~~~\n   ```\n   ~~~"],
  ]);
});

test("what is copied of code are the lines between the fences, if both are there", () => {
  expect(textBlocks("```sh\nls\n```")[0]?.code).toBe("ls");
  expect(textBlocks("```\n```")[0]?.code).toBe("");
  expect(textBlocks("```sh\nls")[0]?.code).toBeNull();
  expect(textBlocks("```")[0]?.code).toBeNull();
});

test("a table needs a rule below its heads", () => {
  expect(looks("| a | b |\n|---|--:|\n| 1 | 2 |\nend")).toEqual([
    ["table", "| a | b |\n|---|--:|\n| 1 | 2 |"],
    ["prose", "end"],
  ]);
  expect(looks("| a | b |\n| 1 | 2 |")).toEqual([["prose", "| a | b |\n| 1 | 2 |"]]);
});

test("a patch is code whose lines were added or removed", () => {
  expect(looks("```diff\n-a\n+b\n```")[0]?.[0]).toBe("patch");
  expect(looks("```\n@@ -1,2 +1 @@\n-a\n```")[0]?.[0]).toBe("patch");
  expect(isPatch("On branch main\ndiff --git a/x b/x\n")).toBe(true);
  expect(isPatch("- a list\n- of things")).toBe(false);
});

test("nothing of a text is lost, whatever it is", () => {
  const pieces = ["```", "~~~~", "``` x`", "| a |", "|-|", "", "text", "  ```js", "-", "\r"];
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 48271) % 2147483647;
    return seed % below;
  };
  for (let round = 0; round < 500; round++) {
    const text = Array.from({ length: random(12) }, () => pieces[random(pieces.length)]).join("\n");
    expect(
      textBlocks(text)
        .map((each) => each.text)
        .join("\n"),
    ).toBe(text);
  }
});
