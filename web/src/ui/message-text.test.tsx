import { cleanup, render } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { EditText } from "./edit-text";
import { LongText } from "./message-text";
import { TextBlocks } from "./text-blocks";

afterEach(cleanup);

const ANSWER = "So:\n\n| a | bee |\n|---|-----|\n| cat | d |\n\n```diff\n-x <b>\n+y\n```\nDone.";

test("code and tables of an answer are set apart, and none of its characters is left out", () => {
  const { container } = render(<LongText text={ANSWER} />);
  const shown = container.textContent?.replaceAll("\n", "");
  expect(shown).toBe(ANSWER.replaceAll("\n", ""));
  expect(container.querySelector("b, table, pre, code")).toBeNull();
  const [copy] = container.getElementsByTagName("button");
  expect(copy?.getAttribute("aria-label")).toBe("Copy the code");
});

test("the cells of a column are equally wide", () => {
  const { container } = render(<LongText text={ANSWER} />);
  const cells = [...container.querySelectorAll<HTMLElement>("[style]")];
  expect(cells.map(({ textContent, style }) => [textContent, style.minWidth]).slice(0, 3)).toEqual([
    ["|", "1ch"],
    [" a |", "6ch"],
    [" bee |", "6ch"],
  ]);
});

test("code without its end cannot be copied, since there may be more of it", () => {
  const { container } = render(<LongText text={"```\nx"} />);
  expect(container.textContent).toBe("```\nx");
  expect(container.querySelector("button")).toBeNull();
});

test("what a command printed has its patch marked line by line", () => {
  const { container } = render(<LongText text={"diff --git a/x b/x\n-one\n+two\n three"} mono />);
  expect(container.textContent).toBe("diff --git a/x b/x-one+two three");
  expect([...container.querySelectorAll("[class*=added], [class*=removed]")].map((line) => line.textContent)).toEqual([
    "-one",
    "+two",
  ]);
});

test.each([
  ["blocks", "```\n```\n".repeat(600)],
  ["rows of a table", `| a |\n|---|\n${"| b |\n".repeat(6_000)}`],
  ["cells of a row", `|${"|".repeat(11_000)}\n|-|`],
  ["lines of a patch", `\`\`\`diff\n${"+\n".repeat(11_000)}\`\`\``],
])("a text with very many %s is shown with few elements", (_, text) => {
  const { container } = render(<TextBlocks text={text} />);
  expect(container.querySelectorAll("*").length).toBeLessThan(20);
  expect(container.textContent?.replaceAll("\n", "")).toBe(text.replaceAll("\n", ""));
});

test("what an edit replaces is marked", () => {
  const { container } = render(<EditText args={{ old_string: "a = 1", new_string: "a = 2" }} />);
  expect(container.querySelector("del")?.textContent).toContain("1");
  expect(container.querySelector("ins")?.textContent).toContain("2");
});
