import { expect, test } from "vitest";
import { layoutOf } from "./graph-layout";
import { neighbour } from "./neighbour";

const nodes = ["root", "a", "b", "c"].map((id) => ({ id, width: 100, height: 40 }));
const edge = (from: string, to: string) => ({ id: `${from}${to}`, from, to, labelWidth: 0 });
const layout = layoutOf(nodes, [edge("root", "a"), edge("root", "b"), edge("b", "c"), edge("c", "c")]);
const at = (id: string) => layout.nodes.findIndex((node) => node.id === id);

test("arrows follow lines to callees and callers, and stay in the column otherwise", () => {
  expect(neighbour(layout, at("b"), "ArrowRight")).toBe(at("c"));
  expect(neighbour(layout, at("c"), "ArrowLeft")).toBe(at("b"));
  expect(neighbour(layout, at("a"), "ArrowDown")).toBe(at("b"));
  expect(neighbour(layout, at("b"), "ArrowUp")).toBe(at("a"));
});

test("where nothing leads the focus stays", () => {
  expect(neighbour(layout, at("a"), "ArrowRight")).toBeNull();
  expect(neighbour(layout, at("c"), "ArrowRight")).toBeNull();
  expect(neighbour(layout, at("root"), "ArrowLeft")).toBeNull();
  expect(neighbour(layout, at("b"), "ArrowDown")).toBeNull();
  expect(neighbour(layout, at("b"), "x")).toBeNull();
  expect(neighbour(layout, 99, "ArrowUp")).toBeNull();
});
