import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const SPACING =
  /(?<![\w-])(?:padding|margin|gap|row-gap|column-gap|scroll-padding|scroll-margin)(?:-[a-z-]+)?:[^;{}]*;/g;
/** A length below one rem that is no hairline. */
const SMALL = /(?<![\w.])-?0?\.\d+rem/;

test("what stands between things is of the sizes of tokens.css", () => {
  const sheets = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".css"));
  expect(sheets).not.toEqual([]);
  const odd = sheets.flatMap((path) =>
    (readFileSync(`src/${path}`, "utf8").match(SPACING) ?? [])
      .filter((line) => SMALL.test(line))
      .map((line) => `${path}: ${line}`),
  );
  expect(odd).toEqual([]);
});
