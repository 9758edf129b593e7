import { expect, test } from "vitest";
import { diffSearch } from "./url";

test("an address keeps what it can mean, and nothing else", () => {
  expect(diffSearch({ a: "last~1", b: "run-b", at: "12", all: "1" })).toEqual({
    a: "last~1",
    b: "run-b",
    at: 12,
    all: "1",
  });
  expect(diffSearch({ a: "../token", b: ["x", "y"], at: "-1", all: "yes", other: "x" })).toEqual({});
});
