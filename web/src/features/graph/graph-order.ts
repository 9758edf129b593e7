/** The columns of a graph and the order in them; slots beyond the nodes are where long lines cross a column. */
export interface LayerOrder {
  /** Slots of each column, from the top. */
  layers: number[][];
  layerOf: number[];
  /** The node of each slot, -1 for crossings. */
  nodeOf: number[];
  /** The neighbours of each slot in the column to the left and to the right. */
  above: number[][];
  below: number[][];
  /** The crossings of each edge, from left to right. */
  chains: number[][];
  /** Edges that are reversed to break a cycle, and those from a node to itself. */
  reversed: boolean[];
}

interface Edge {
  from: number;
  to: number;
}

/** Compute the columns and the order in them. */
export function orderedLayers(count: number, edges: readonly Edge[]): LayerOrder {
  const reversed = backEdges(count, edges);
  const forward = edges.map((edge, at) => (reversed[at] ? { from: edge.to, to: edge.from } : edge));
  const layerOf = longestWays(count, forward);
  const nodeOf = [...Array(count).keys()];
  const above: number[][] = nodeOf.map(() => []);
  const below: number[][] = nodeOf.map(() => []);
  const join = (from: number, to: number) => {
    below[from]?.push(to);
    above[to]?.push(from);
  };
  const isCrossed = crossedColumns(forward, layerOf) <= MOST_CROSSED;
  const chains = forward.map(({ from, to }) => {
    const chain: number[] = [];
    if (from === to) return chain;
    if (!isCrossed) {
      join(from, to);
      return chain;
    }
    let before = from;
    for (let layer = (layerOf[from] ?? 0) + 1; layer < (layerOf[to] ?? 0); layer++) {
      const slot = nodeOf.length;
      nodeOf.push(-1);
      layerOf.push(layer);
      above.push([]);
      below.push([]);
      chain.push(slot);
      join(before, slot);
      before = slot;
    }
    join(before, to);
    return chain;
  });
  const layers = swept(initial(layerOf, below, above), above, below);
  return { layers, layerOf, nodeOf, above, below, chains, reversed };
}

/** If lines cross more columns than this in total, they are drawn over whatever is there. */
const MOST_CROSSED = 6000;

function crossedColumns(edges: readonly Edge[], layerOf: readonly number[]): number {
  return edges.reduce((sum, { from, to }) => sum + Math.max(0, (layerOf[to] ?? 0) - (layerOf[from] ?? 0) - 1), 0);
}

/** The edges that close a cycle in a depth-first search from the first nodes. */
function backEdges(count: number, edges: readonly Edge[]): boolean[] {
  const out: number[][] = [...Array(count)].map(() => []);
  edges.forEach(({ from }, at) => {
    out[from]?.push(at);
  });
  const found = edges.map(({ from, to }) => from === to);
  const NEW = 0;
  const OPEN = 1;
  const DONE = 2;
  const state = new Uint8Array(count);
  const called = new Set(edges.filter(({ from, to }) => from !== to).map(({ to }) => to));
  const firsts = [...Array(count).keys()].sort((a, b) => Number(called.has(a)) - Number(called.has(b)));
  for (const first of firsts) {
    if (state[first] !== NEW) continue;
    const path = [{ node: first, next: 0 }];
    state[first] = OPEN;
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const at = out[top.node]?.[top.next++];
      if (at === undefined) {
        state[top.node] = DONE;
        path.pop();
        continue;
      }
      const to = edges[at]?.to ?? 0;
      if (state[to] === OPEN) found[at] = true;
      else if (state[to] === NEW) {
        state[to] = OPEN;
        path.push({ node: to, next: 0 });
      }
    }
  }
  return found;
}

/** The column of each node: one after the last of its callers. */
function longestWays(count: number, edges: readonly Edge[]): number[] {
  const layer: number[] = Array(count).fill(0);
  const left: number[] = Array(count).fill(0);
  const out: number[][] = [...Array(count)].map(() => []);
  for (const { from, to } of edges) {
    if (from === to) continue;
    out[from]?.push(to);
    left[to] = (left[to] ?? 0) + 1;
  }
  const ready = [...Array(count).keys()].filter((node) => left[node] === 0);
  const firsts = [...ready];
  for (let at = 0; at < ready.length; at++) {
    const from = ready[at] ?? 0;
    for (const to of out[from] ?? []) {
      layer[to] = Math.max(layer[to] ?? 0, (layer[from] ?? 0) + 1);
      left[to] = (left[to] ?? 0) - 1;
      if (left[to] === 0) ready.push(to);
    }
  }
  // A node without callers goes directly before its first callee.
  for (const first of firsts) {
    const near = (out[first] ?? []).reduce((least, to) => Math.min(least, layer[to] ?? 0), Number.POSITIVE_INFINITY);
    if (Number.isFinite(near)) layer[first] = Math.max(0, near - 1);
  }
  return layer;
}

/** Columns filled in the order of a search from the left, so that related nodes start close together. */
function initial(layerOf: readonly number[], below: readonly number[][], above: readonly number[][]): number[][] {
  const layers: number[][] = [...Array(layerOf.reduce((most, layer) => Math.max(most, layer + 1), 0))].map(() => []);
  const seen = new Uint8Array(layerOf.length);
  const waiting = [...layerOf.keys()].filter((slot) => above[slot]?.length === 0).reverse();
  for (let slot = waiting.pop(); slot !== undefined; slot = waiting.pop()) {
    if (seen[slot]) continue;
    seen[slot] = 1;
    layers[layerOf[slot] ?? 0]?.push(slot);
    for (const next of [...(below[slot] ?? [])].reverse()) waiting.push(next);
  }
  return layers;
}

const ROUNDS = 8;

function swept(first: number[][], above: readonly number[][], below: readonly number[][]): number[][] {
  let best = first;
  let fewest = crossings(first, below);
  let layers = first;
  for (let round = 0; round < ROUNDS && fewest > 0; round++) {
    layers = round % 2 === 0 ? sweep(layers, above, 1) : sweep(layers, below, -1);
    const now = crossings(layers, below);
    if (now < fewest) {
      fewest = now;
      best = layers;
    }
  }
  return best;
}

/** Sort each column by the mean position of the neighbours in the previous one; slots without any keep theirs. */
function sweep(layers: readonly number[][], neighbours: readonly number[][], step: 1 | -1): number[][] {
  const next = layers.map((layer) => [...layer]);
  const place = placesOf(next);
  const start = step === 1 ? 1 : layers.length - 2;
  for (let at = start; at >= 0 && at < layers.length; at += step) {
    const layer = next[at] ?? [];
    const mean = new Map(
      layer.map((slot) => {
        const near = neighbours[slot] ?? [];
        const sum = near.reduce((total, other) => total + (place[other] ?? 0), 0);
        return [slot, near.length ? sum / near.length : (place[slot] ?? 0)];
      }),
    );
    layer.sort((a, b) => (mean.get(a) ?? 0) - (mean.get(b) ?? 0));
    layer.forEach((slot, index) => {
      place[slot] = index / Math.max(1, layer.length - 1);
    });
  }
  return next;
}

/** The position of each slot in its column, from 0 at the top to 1, so that columns of any length are comparable. */
function placesOf(layers: readonly number[][]): number[] {
  const place: number[] = [];
  for (const layer of layers) {
    layer.forEach((slot, at) => {
      place[slot] = at / Math.max(1, layer.length - 1);
    });
  }
  return place;
}

/** The number of crossings of lines between neighbouring columns. */
export function crossings(layers: readonly number[][], below: readonly number[][]): number {
  let count = 0;
  for (let at = 0; at + 1 < layers.length; at++) {
    const index = new Map((layers[at + 1] ?? []).map((slot, place) => [slot, place]));
    const ends = (layers[at] ?? []).flatMap((slot) =>
      (below[slot] ?? []).map((to) => index.get(to) ?? 0).sort((a, b) => a - b),
    );
    count += inversions(ends, index.size);
  }
  return count;
}

/** The number of inversions, counted with a Fenwick tree. */
function inversions(values: readonly number[], size: number): number {
  const tree = new Int32Array(size + 1);
  let found = 0;
  values.forEach((value, seen) => {
    let notLarger = 0;
    for (let at = value + 1; at > 0; at -= at & -at) notLarger += tree[at] ?? 0;
    found += seen - notLarger;
    for (let at = value + 1; at <= size; at += at & -at) tree[at] = (tree[at] ?? 0) + 1;
  });
  return found;
}
