import { expect, test } from "vitest";
import { type Layout, layoutOf } from "./graph-layout";
import { crossings, orderedLayers } from "./graph-order";

const nodes = (count: number) => [...Array(count).keys()].map((at) => ({ id: `n${at}`, width: 200, height: 50 }));
const edges = (pairs: [number, number][]) =>
  pairs.map(([from, to], at) => ({ id: `e${at}`, from: `n${from}`, to: `n${to}`, labelWidth: 30 }));

function layers({ nodes: placed }: Layout): Record<string, number> {
  return Object.fromEntries(placed.map((node) => [node.id, node.layer]));
}

test("callees stand to the right of all their callers", () => {
  const layout = layoutOf(
    nodes(5),
    edges([
      [0, 1],
      [0, 2],
      [1, 3],
      [3, 4],
      [2, 4],
      [0, 4],
    ]),
  );
  expect(layers(layout)).toEqual({ n0: 0, n1: 1, n2: 1, n3: 2, n4: 3 });
});

test("a circle is broken where it leads back, and the line back is still drawn", () => {
  const layout = layoutOf(
    nodes(3),
    edges([
      [0, 1],
      [1, 2],
      [2, 0],
    ]),
  );
  expect(layers(layout)).toEqual({ n0: 0, n1: 1, n2: 2 });
  expect(layout.edges.map((edge) => edge.heading)).toEqual(["right", "right", "left"]);
  const back = layout.edges[2];
  const caller = layout.nodes.find((node) => node.id === "n2");
  const callee = layout.nodes.find((node) => node.id === "n0");
  expect(back?.tip.x).toBe((callee?.x ?? 0) + 200);
  expect(back?.path.startsWith(`M${caller?.x.toFixed(1)} `)).toBe(true);
});

test("a node that calls itself gets a loop above it", () => {
  const layout = layoutOf(nodes(1), edges([[0, 0]]));
  expect(layout.edges[0]).toMatchObject({ heading: "down", tip: { y: layout.nodes[0]?.y } });
});

test("what nobody calls stands right before what it calls", () => {
  const layout = layoutOf(
    nodes(4),
    edges([
      [0, 1],
      [1, 2],
      [3, 2],
    ]),
  );
  expect(layers(layout).n3).toBe(1);
});

test("lines that can do without crossing do", () => {
  const pairs: [number, number][] = [
    [0, 4],
    [1, 3],
    [2, 5],
  ];
  const order = orderedLayers(
    6,
    pairs.map(([from, to]) => ({ from, to })),
  );
  expect(crossings(order.layers, order.below)).toBe(0);
});

test("crossings are pairs of lines in opposite order", () => {
  expect(
    crossings(
      [
        [0, 1],
        [2, 3],
      ],
      [[3], [2], [], []],
    ),
  ).toBe(1);
  expect(
    crossings(
      [
        [0, 1],
        [2, 3],
      ],
      [[2, 3], [2, 3], [], []],
    ),
  ).toBe(1);
});

test("a graph without nodes has no size", () => {
  expect(layoutOf([], [])).toEqual({ nodes: [], edges: [], width: 0, height: 0 });
});

test("random graphs: nothing overlaps, everything is inside, every line is drawn, order is that of reading", () => {
  let state = 42;
  const random = (below: number) => {
    state = (state * 48271) % 2147483647;
    return state % below;
  };
  for (let round = 0; round < 30; round++) {
    const count = 1 + random(40);
    const boxes = nodes(count).map((node) => ({ ...node, height: 40 + random(60) }));
    const lines = edges([...Array(random(90))].map(() => [random(count), random(count)]));
    const layout = layoutOf(boxes, lines);
    const inside = layout.nodes.filter(
      ({ x, y, width, height }) => y > -0.001 && y + height < layout.height + 0.001 && x + width <= layout.width,
    );
    expect(inside).toHaveLength(count);
    const apart = layout.nodes.slice(1).filter((node, at) => {
      const before = layout.nodes[at];
      if (before?.layer === node.layer) return node.y > before.y + before.height - 0.001;
      return before && before.layer < node.layer && node.x >= before.x + before.width;
    });
    expect(apart).toHaveLength(count - 1);
    const drawn = layout.edges.filter(
      ({ path, label, tip }) => !/NaN|Infinity/.test(path) && Number.isFinite(label.x + label.y + tip.x + tip.y),
    );
    expect(drawn).toHaveLength(lines.length);
  }
});

test("200 nodes with 600 lines are no trouble", () => {
  const lines = edges([...Array(600).keys()].map((at) => [at % 60, 60 + ((at * 7) % 140)]));
  expect(layoutOf(nodes(200), lines).edges).toHaveLength(600);
});

test("a tangle of 500 nodes that call each other far apart is placed all the same", () => {
  const tangle = edges([...Array(1500).keys()].map((at) => [(at * 7) % 500, (at * 13 + 1) % 500]));
  const layout = layoutOf(nodes(500), tangle);
  expect(layout.nodes).toHaveLength(500);
  expect(layout.edges.every((edge) => !edge.path.includes("NaN"))).toBe(true);
});
