import type { SpanRow } from "./spans";
import { finish, PART, type Steps } from "./steps";

/** The tree of a trace's rows; every number is an index into the rows. */
export interface Tree {
  /** Rows without a parent, or whose parent is not loaded. */
  roots: number[];
  /** The children of each row, by start. */
  children: number[][];
  /** The parent of each row, -1 for roots. */
  parent: Int32Array;
  /** The number of ancestors of each row. */
  depth: Int32Array;
  /** Every row of the tree, children directly after their parent: the lines of a waterfall from top to bottom. */
  order: Int32Array;
  /** Rows that name a parent which is not among the rows. */
  orphans: Set<number>;
  /** Rows that were recorded as their own ancestor, at which the cycle was cut. */
  cut: Set<number>;
  /** The index of each row by span id. */
  places: Places;
}

/** The indexes of rows by span id. A list that grows at its end keeps its first indexes, so it shares one map. */
class Places {
  /** May contain rows of longer lists. */
  readonly #all: Map<string, number>;
  readonly #size: number;

  constructor(all: Map<string, number>, size: number) {
    this.#all = all;
    this.#size = size;
  }

  get(id: string): number | undefined {
    const at = this.#all.get(id);
    return at !== undefined && at < this.#size ? at : undefined;
  }

  has(id: string): boolean {
    return this.get(id) !== undefined;
  }

  /** The indexes of a list that begins with the same rows. */
  *grown(rows: readonly SpanRow[]): Steps<Places> {
    for (let at = this.#size; at < rows.length; at++) {
      if (at % PART === 0) yield;
      this.#all.set((rows[at] as SpanRow).id, at);
    }
    return new Places(this.#all, rows.length);
  }
}

const known = new WeakMap<readonly SpanRow[], Tree>();
/** The tree of a list's beginning. */
const begun = new WeakMap<readonly SpanRow[], Tree>();

/**
 * The tree of rows; a row that is its own ancestor becomes a root, so that each cycle is cut once.
 *
 * It is built once per list of rows and shared by all views, so neither list nor tree may be mutated.
 */
export function treeOf(rows: readonly SpanRow[]): Tree {
  return known.get(rows) ?? finish(treeSteps(rows));
}

/** `treeOf` step by step. */
export function* treeSteps(rows: readonly SpanRow[]): Steps<Tree> {
  const before = known.get(rows);
  if (before) return before;
  const start = begun.get(rows);
  const tree = (start && (yield* grown(rows, start))) ?? (yield* built(rows));
  known.set(rows, tree);
  return tree;
}

/** Note that a list begins with another one: the same spans in the same order, with the same parents. */
export function growsFrom(rows: readonly SpanRow[], before: readonly SpanRow[]): void {
  const tree = known.get(before) ?? begun.get(before);
  if (tree) begun.set(rows, tree);
}

function* built(rows: readonly SpanRow[]): Steps<Tree> {
  const places = yield* new Places(new Map(), 0).grown(rows);
  const parent = new Int32Array(rows.length).fill(-1);
  const orphans = new Set<number>();
  for (let at = 0; at < rows.length; at++) {
    if (at % PART === 0) yield;
    const above = (rows[at] as SpanRow).parentId;
    if (above === null) continue;
    const place = places.get(above);
    if (place === undefined) orphans.add(at);
    else parent[at] = place;
  }
  const cut = yield* breakCycles(parent);
  return { ...(yield* linked(parent, null)), orphans, cut, places };
}

/** A tree extended by the rows at its end; null if one of them changes the parents of earlier rows. */
function* grown(rows: readonly SpanRow[], tree: Tree): Steps<Tree | null> {
  const from = tree.parent.length;
  if (from === rows.length) return tree;
  const places = yield* tree.places.grown(rows);
  for (const at of tree.orphans) if (places.has((rows[at] as SpanRow).parentId ?? "")) return null;
  const parent = new Int32Array(rows.length).fill(-1);
  parent.set(tree.parent);
  const [roots, children, orphans] = [tree.roots.slice(), tree.children.slice(), new Set(tree.orphans)];
  const own = new Set<number>();
  for (let at = from; at < rows.length; at++) {
    const { parentId } = rows[at] as SpanRow;
    const above = parentId === null ? undefined : places.get(parentId);
    // It may be part of a cycle.
    if (above !== undefined && above >= at) return null;
    if (above === undefined) {
      roots.push(at);
      if (parentId !== null) orphans.add(at);
    } else {
      parent[at] = above;
      if (!own.has(above)) children[above] = (children[above] ?? NONE).slice();
      own.add(above);
      children[above]?.push(at);
    }
    children[at] = NONE;
  }
  return {
    roots,
    children,
    parent,
    ...(yield* ordered(roots, children, parent, rows.length)),
    orphans,
    cut: tree.cut,
    places,
  };
}

/** The same tree without some of its rows; their children move up to the next row that is shown. */
export function* withoutSteps(tree: Tree, hidden: (at: number) => boolean): Steps<Tree> {
  const parent = new Int32Array(tree.parent.length).fill(-1);
  const shown = new Uint8Array(tree.parent.length);
  for (let place = 0; place < tree.order.length; place++) {
    if (place % PART === 0) yield;
    const at = tree.order[place] as number;
    const above = tree.parent[at] ?? -1;
    parent[at] = above < 0 || shown[above] ? above : (parent[above] ?? -1);
    if (!hidden(at)) shown[at] = 1;
  }
  return { ...(yield* linked(parent, shown)), orphans: tree.orphans, cut: tree.cut, places: tree.places };
}

/** All ancestors of a row, the nearest first. */
export function ancestorsOf(tree: Tree, row: number): number[] {
  const found: number[] = [];
  for (let at = tree.parent[row] ?? -1; at >= 0; at = tree.parent[at] ?? -1) found.push(at);
  return found;
}

// Most rows have no children: they share one list.
const NONE: number[] = [];

function* linked(parent: Int32Array, shown: Uint8Array | null): Steps<Omit<Tree, "orphans" | "cut" | "places">> {
  const children: number[][] = new Array(parent.length).fill(NONE);
  const roots: number[] = [];
  let count = 0;
  for (let at = 0; at < parent.length; at++) {
    if (at % PART === 0) yield;
    if (shown && !shown[at]) continue;
    count++;
    const above = parent[at] as number;
    if (above < 0) roots.push(at);
    else if (children[above] === NONE) children[above] = [at];
    else children[above]?.push(at);
  }
  return { roots, children, parent, ...(yield* ordered(roots, children, parent, count)) };
}

function* ordered(
  roots: readonly number[],
  children: readonly number[][],
  parent: Int32Array,
  count: number,
): Steps<Pick<Tree, "order" | "depth">> {
  const order = new Int32Array(count);
  const depth = new Int32Array(parent.length);
  const waiting = roots.toReversed();
  for (let place = 0; place < count; place++) {
    if (place % PART === 0) yield;
    const at = waiting.pop() as number;
    order[place] = at;
    const above = parent[at] as number;
    depth[at] = above < 0 ? 0 : (depth[above] as number) + 1;
    const below = children[at] as number[];
    for (let next = below.length - 1; next >= 0; next--) waiting.push(below[next] as number);
  }
  return { order, depth };
}

function* breakCycles(parent: Int32Array): Steps<Set<number>> {
  const UNSEEN = 0;
  const DONE = -1;
  const cut = new Set<number>();
  const seen = new Int32Array(parent.length);
  for (let first = 0; first < parent.length; first++) {
    if (first % PART === 0) yield;
    let at = first;
    while (at >= 0 && seen[at] === UNSEEN) {
      seen[at] = first + 1;
      at = parent[at] as number;
    }
    // Visited on this walk: this row closes the cycle, so cut its link to the parent.
    if (at >= 0 && seen[at] === first + 1) {
      parent[at] = -1;
      cut.add(at);
    }
    for (let back = first; back >= 0 && seen[back] === first + 1; back = parent[back] as number) seen[back] = DONE;
  }
  return cut;
}
