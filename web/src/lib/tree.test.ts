import { describe, expect, it } from "vitest";
import { atOnce, randomRows, sampleRow } from "./samples.test-data";
import { ancestorsOf, type Tree, treeOf, withoutSteps } from "./tree";

const without = atOnce(withoutSteps);

const row = sampleRow;
const SEEDS = [...Array(40).keys()];

/** Every row occurs once, after its parent, one level deeper. */
function expectSound(tree: Tree, shown: number) {
  const place = new Map([...tree.order].map((at, index) => [at, index]));
  expect(place.size).toBe(shown);
  for (const [at, index] of place) {
    const above = tree.parent[at] as number;
    expect(tree.depth[at]).toBe(above < 0 ? 0 : (tree.depth[above] as number) + 1);
    expect(above < 0 ? -1 : place.get(above)).toBeLessThan(index);
    expect(above < 0 ? tree.roots : tree.children[above]).toContain(at);
  }
}

describe("treeOf", () => {
  it("holds every row exactly once, whatever the parents say", () => {
    for (const seed of SEEDS) {
      const rows = randomRows(seed, 1 + seed * 7);
      expectSound(treeOf(rows), rows.length);
    }
  });

  it("goes from top to bottom, children by start right after their parent", () => {
    const rows = [row("root"), row("a", "root"), row("b", "root"), row("a1", "a"), row("b1", "b"), row("a2", "a")];
    expect([...treeOf(rows).order].map((at) => rows[at]?.id)).toEqual(["root", "a", "a1", "a2", "b", "b1"]);
  });

  it("makes a root of a span whose parent was not recorded, and says so", () => {
    const tree = treeOf([row("root"), row("lonely", "gone")]);
    expect(tree.roots).toEqual([0, 1]);
    expect([...tree.orphans]).toEqual([1]);
  });

  it("cuts a circle in one place, and says where", () => {
    const tree = treeOf([row("a", "c"), row("b", "a"), row("c", "b"), row("own", "own")]);
    expect([...tree.cut]).toEqual([0, 3]);
    expect(tree.roots).toEqual([0, 3]);
    expect([...tree.order]).toEqual([0, 1, 2, 3]);
  });

  it("finds a parent that began after its child, as skewed clocks have it", () => {
    const tree = treeOf([row("child", "parent", { startMs: 0 }), row("parent", null, { startMs: 5 })]);
    expect([...tree.order]).toEqual([1, 0]);
  });

  it("takes a chain of a hundred thousand spans and as many children of one", () => {
    const chain = [...Array(100_000).keys()].map((at) => row(`s${at}`, at ? `s${at - 1}` : null));
    expect(treeOf(chain).depth.at(-1)).toBe(99_999);
    const fan = [...Array(100_000).keys()].map((at) => row(`s${at}`, at ? "s0" : null));
    expect(treeOf(fan).children[0]).toHaveLength(99_999);
  });

  it("takes ids that are names of every object", () => {
    const tree = treeOf([row("__proto__"), row("constructor", "__proto__")]);
    expect(tree.parent[1]).toBe(0);
  });
});

describe("without", () => {
  it("moves the children of a hidden row up, and stays sound", () => {
    for (const seed of SEEDS) {
      const rows = randomRows(seed, 1 + seed * 5);
      const hidden = (at: number) => rows[at]?.kind === "tool" || rows[at]?.kind === "rpc";
      const tree = without(treeOf(rows), hidden);
      expectSound(tree, rows.filter((_, at) => !hidden(at)).length);
      for (const at of tree.order) expect(hidden(at)).toBe(false);
    }
  });

  it("puts a child below the nearest row above it that shows", () => {
    const rows = [row("root"), row("rpc", "root"), row("rpc2", "rpc"), row("tool", "rpc2")];
    const tree = without(treeOf(rows), (at) => at === 1 || at === 2);
    expect(ancestorsOf(tree, 3)).toEqual([0]);
  });
});
