import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { JsonView } from "./json-view";

afterEach(cleanup);

test("the text of a line, which a selection copies, has its key apart from its value", () => {
  render(<JsonView value={{ order: "ORD-7714", items: [12] }} label="arguments" />);
  expect(screen.getAllByRole("treeitem").map((line) => line.textContent)).toEqual([
    'order: "ORD-7714"',
    "items: 1 item",
    "0: 12",
  ]);
});
