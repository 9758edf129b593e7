import { orderedLayers } from "./graph-order";

/** A box to place. */
export interface LayoutNode {
  id: string;
  width: number;
  height: number;
}

/** A line between two boxes, with space for its label. */
export interface LayoutEdge {
  id: string;
  from: string;
  to: string;
  /** The width of the label; 0 without one. */
  labelWidth: number;
}

export interface PlacedNode extends LayoutNode {
  x: number;
  y: number;
  /** The column, from the left. */
  layer: number;
}

export interface PlacedEdge {
  id: string;
  from: string;
  to: string;
  /** SVG path data, from caller to callee. */
  path: string;
  /** Where it ends, at the side of the callee's box. */
  tip: Point;
  /** The middle of the label. */
  label: Point;
  /** Its direction at the end: left if it leads back, down if it leads to its own box. */
  heading: "right" | "left" | "down";
}

export interface Layout {
  /** In reading order: column by column, each from the top. */
  nodes: PlacedNode[];
  edges: PlacedEdge[];
  width: number;
  height: number;
}

interface Point {
  x: number;
  y: number;
}

/** Between columns, in addition to the labels there. */
const GAP_X = 64;
const MOST_FAN = 120;
const GAP_Y = 18;
const LANE = 14;
/** The space above a box that calls itself. */
const LOOP_ROOM = 36;
const LABEL_HEIGHT = 22;

/** A place in a column: a box, or the point where a long line crosses the column. */
interface Slot {
  /** Index of the node, or -1. */
  node: number;
  height: number;
  /** The part of its height that is above the box. */
  room: number;
  y: number;
}

/**
 * Place boxes in columns from callers to callees, so that few lines cross.
 *
 * The column is the length of the longest path to a node, after cycles are broken. The order within a column follows the
 * mean position of the neighbours, in a few sweeps. Then each box moves towards its neighbours as far as there is room.
 */
export function layoutOf(nodes: readonly LayoutNode[], edges: readonly LayoutEdge[]): Layout {
  const places = new Map(nodes.map((node, at) => [node.id, at]));
  const known = edges.flatMap((edge) => {
    const from = places.get(edge.from);
    const to = places.get(edge.to);
    return from === undefined || to === undefined ? [] : [{ edge, from, to }];
  });
  const order = orderedLayers(nodes.length, known);
  const looped = new Set(known.filter(({ from, to }) => from === to).map(({ from }) => from));
  const slots: Slot[] = order.nodeOf.map((node) => {
    const room = looped.has(node) ? LOOP_ROOM : 0;
    return { node, height: room + (nodes[node]?.height ?? LANE), room, y: 0 };
  });
  placeDown(slots, order.layers, order.above, order.below);

  const columns = columnsOf(nodes, slots, order.layers, gapsOf(known, order.layerOf));
  const placed = order.layers.flatMap((layer, at) =>
    layer.flatMap((slot) => {
      const { node, y, room } = slots[slot] as Slot;
      const box = nodes[node];
      return box ? [{ ...box, x: columns[at]?.x ?? 0, y: y + room, layer: at }] : [];
    }),
  );
  const boxes = new Map(placed.map((box) => [box.id, box]));
  const routes = known.map((each, at) => ({
    ...each.edge,
    ways: (order.chains[at] ?? []).map((slot) => crossing(slots[slot] as Slot, columns[order.layerOf[slot] ?? 0])),
    reversed: order.reversed[at] ?? false,
  }));
  return {
    nodes: placed,
    edges: drawn(routes, boxes),
    width: placed.reduce((most, box) => Math.max(most, box.x + box.width), 0),
    height: slots.reduce((most, slot) => Math.max(most, slot.y + slot.height), 0),
  };
}

interface Column {
  x: number;
  width: number;
}

/** The extra space before each column: for the widest label, and for many lines to fan out. */
function gapsOf(
  known: readonly { edge: LayoutEdge; from: number; to: number }[],
  layerOf: readonly number[],
): number[] {
  const labels: number[] = [];
  const lines: number[] = [];
  for (const { edge, from, to } of known) {
    const last = Math.max(layerOf[from] ?? 0, layerOf[to] ?? 0);
    labels[last] = Math.max(labels[last] ?? 0, edge.labelWidth);
    for (let at = Math.min(layerOf[from] ?? 0, layerOf[to] ?? 0) + 1; at <= last; at++)
      lines[at] = (lines[at] ?? 0) + 1;
  }
  return lines.map((count, at) => Math.max(labels[at] ?? 0, Math.min(MOST_FAN, count)));
}

function columnsOf(
  nodes: readonly LayoutNode[],
  slots: readonly Slot[],
  layers: readonly number[][],
  gaps: readonly number[],
): Column[] {
  let x = 0;
  return layers.map((layer, at) => {
    const width = layer.reduce((most, slot) => Math.max(most, nodes[slots[slot]?.node ?? -1]?.width ?? 0), 0);
    if (at > 0) x += GAP_X + (gaps[at] ?? 0);
    const column = { x, width };
    x += width;
    return column;
  });
}

function crossing(slot: Slot, column: Column | undefined): { left: Point; right: Point } {
  const y = slot.y + slot.height / 2;
  return { left: { x: column?.x ?? 0, y }, right: { x: (column?.x ?? 0) + (column?.width ?? 0), y } };
}

const SWEEPS = 6;

function placeDown(slots: Slot[], layers: readonly number[][], above: number[][], below: number[][]): void {
  for (const layer of layers) spread(slots, layer, (slot) => slots[slot]?.y ?? 0);
  const wanted = (slot: number) => {
    const own = slots[slot] as Slot;
    const near = [...(above[slot] ?? []), ...(below[slot] ?? [])];
    if (near.length === 0) return own.y;
    const mean = near.reduce((sum, at) => sum + (slots[at]?.y ?? 0) + (slots[at]?.height ?? 0) / 2, 0) / near.length;
    return mean - own.height / 2;
  };
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (const layer of sweep % 2 ? layers : layers.toReversed()) spread(slots, layer, wanted);
  }
  const least = slots.reduce((min, slot) => Math.min(min, slot.y), slots[0]?.y ?? 0);
  for (const slot of slots) slot.y -= least;
}

/** Place the slots of a column as close to their ideal positions as their order and heights allow. */
function spread(slots: Slot[], layer: readonly number[], wanted: (slot: number) => number): void {
  // Pool adjacent violators: blocks that would overlap become one block, at the mean of its members' ideal positions.
  const blocks: { first: number; count: number; want: number }[] = [];
  const offsets: number[] = [];
  let offset = 0;
  layer.forEach((slot, at) => {
    offsets.push(offset);
    blocks.push({ first: at, count: 1, want: wanted(slot) - offset });
    offset += (slots[slot]?.height ?? 0) + GAP_Y;
    for (let last = blocks.at(-1), before = blocks.at(-2); last && before && before.want > last.want; ) {
      before.want = (before.want * before.count + last.want * last.count) / (before.count + last.count);
      before.count += last.count;
      blocks.pop();
      last = blocks.at(-1);
      before = blocks.at(-2);
    }
  });
  for (const { first, count, want } of blocks) {
    for (let at = first; at < first + count; at++) {
      const slot = slots[layer[at] ?? -1];
      if (slot) slot.y = want + (offsets[at] ?? 0);
    }
  }
}

interface Route extends LayoutEdge {
  ways: { left: Point; right: Point }[];
  reversed: boolean;
}

/** Give each line its own point at the edges of its boxes, and draw it. */
function drawn(routes: readonly Route[], boxes: ReadonlyMap<string, PlacedNode>): PlacedEdge[] {
  const left = ports(routes, boxes, (route) => (route.reversed ? route.from : route.to), first(-1));
  const right = ports(routes, boxes, (route) => (route.reversed ? route.to : route.from), first(0));
  const taken: { at: Point; width: number }[] = [];
  return routes.map((route) => {
    const start = right.get(route.id) ?? { x: 0, y: 0 };
    const end = left.get(route.id) ?? { x: 0, y: 0 };
    const box = boxes.get(route.from);
    const own = route.from === route.to && box ? loop(box) : null;
    const points = own ?? curves([start, ...route.ways.flatMap((way) => [way.left, way.right]), end]);
    const path = route.reversed && !own ? points.toReversed() : points;
    const label = route.labelWidth ? freePlace(points, route.labelWidth, taken) : middle(points);
    return {
      id: route.id,
      from: route.from,
      to: route.to,
      path: dataOf(path),
      tip: path.at(-1) ?? label,
      label,
      heading: own ? "down" : route.reversed ? "left" : "right",
    };
  });

  function first(at: number) {
    return (route: Route, other: PlacedNode) => route.ways.at(at)?.left.y ?? other.y + other.height / 2;
  }
}

/** The points where lines meet a side of a box, in the order of their other ends. */
function ports(
  routes: readonly Route[],
  boxes: ReadonlyMap<string, PlacedNode>,
  boxOf: (route: Route) => string,
  height: (route: Route, other: PlacedNode) => number,
): Map<string, Point> {
  const at = new Map<string, { route: Route; y: number }[]>();
  for (const route of routes) {
    const id = boxOf(route);
    const other = boxes.get(id === route.from ? route.to : route.from);
    if (!other || route.from === route.to) continue;
    const list = at.get(id);
    const entry = { route, y: height(route, other) };
    if (list) list.push(entry);
    else at.set(id, [entry]);
  }
  const found = new Map<string, Point>();
  for (const [id, list] of at) {
    const box = boxes.get(id);
    if (!box) continue;
    list.sort((a, b) => a.y - b.y);
    const step = Math.min(10, (box.height * 0.7) / list.length);
    list.forEach(({ route }, index) => {
      const isRight = (route.reversed ? route.to : route.from) === id;
      const y = box.y + box.height / 2 + (index - (list.length - 1) / 2) * step;
      found.set(route.id, { x: isRight ? box.x + box.width : box.x, y });
    });
  }
  return found;
}

/** The points of a chain of cubic curves: the first point, then three per curve. */
function curves(stops: readonly Point[]): Point[] {
  const points: Point[] = stops.slice(0, 1);
  for (let at = 1; at < stops.length; at++) {
    const from = stops[at - 1] as Point;
    const to = stops[at] as Point;
    const bend = (to.x - from.x) / 2;
    points.push({ x: from.x + bend, y: from.y }, { x: to.x - bend, y: to.y }, to);
  }
  return points;
}

function loop(box: PlacedNode): Point[] {
  const x = box.x + box.width * 0.62;
  return [
    { x: x + 26, y: box.y },
    { x: x + 40, y: box.y - LOOP_ROOM },
    { x: x - 40, y: box.y - LOOP_ROOM },
    { x: x - 26, y: box.y },
  ];
}

function dataOf(points: readonly Point[]): string {
  return points
    .map(({ x, y }, at) => `${at === 0 ? "M" : at % 3 === 1 ? "C" : ""}${x.toFixed(1)} ${y.toFixed(1)}`)
    .join(" ");
}

function middle(points: readonly Point[]): Point {
  return along(points, 0, 0.5);
}

/** The point at a fraction `t` of one curve of a chain. */
function along(points: readonly Point[], curve: number, t: number): Point {
  const [a, b, c, d] = points.slice(curve * 3, curve * 3 + 4) as [Point, Point, Point, Point];
  const s = 1 - t;
  const mix = (axis: "x" | "y") =>
    s * s * s * a[axis] + 3 * s * s * t * b[axis] + 3 * s * t * t * c[axis] + t * t * t * d[axis];
  return { x: mix("x"), y: mix("y") };
}

const PREFERRED = [0.6, 0.5, 0.7, 0.4, 0.78, 0.32];

/** A free point for a label on the last curve between columns; if there is none, the preferred point. */
function freePlace(points: readonly Point[], width: number, taken: { at: Point; width: number }[]): Point {
  // Every second curve of a chain crosses a column, straight; the others lie between columns.
  const last = (points.length - 1) / 3 - 1;
  const place =
    PREFERRED.map((share) => along(points, last, share)).find((at) =>
      taken.every(
        (other) =>
          Math.abs(other.at.y - at.y) >= LABEL_HEIGHT || Math.abs(other.at.x - at.x) >= (other.width + width) / 2 + 4,
      ),
    ) ?? along(points, last, PREFERRED[0] ?? 0.5);
  taken.push({ at: place, width });
  return place;
}
