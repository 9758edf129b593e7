import type { Kind } from "@/lib/filter";
import { endMs, type SpanRow } from "@/lib/spans";
import { isUnpriced } from "@/lib/totals";
import { ancestorsOf, type Tree, treeOf } from "@/lib/tree";

/** The surroundings of a span in its trace. Rows are in order of start. */
export interface Around {
  row: SpanRow | null;
  /** From the root down to the parent. */
  ancestors: SpanRow[];
  children: SpanRow[];
  previous: SpanRow | null;
  next: SpanRow | null;
}

const NOTHING: Around = { row: null, ancestors: [], children: [], previous: null, next: null };

/** Find the surroundings of a span; cycles of parents are cut. */
export function around(rows: readonly SpanRow[], spanId: string): Around {
  const tree = treeOf(rows);
  const at = tree.places.get(spanId);
  const row = at === undefined ? undefined : rows[at];
  if (at === undefined || !row) return NOTHING;
  const above = tree.parent[at] as number;
  // Of spans whose parent is missing, only those with the same parent are siblings.
  const siblings =
    above >= 0 ? tree.children[above] : tree.roots.filter((root) => rows[root]?.parentId === row.parentId);
  const place = siblings?.indexOf(at) ?? 0;
  return {
    row,
    ancestors: rowsAt(rows, ancestorsOf(tree, at)).reverse(),
    children: rowsAt(rows, tree.children[at] ?? []),
    previous: rows[siblings?.[place - 1] ?? -1] ?? null,
    next: rows[siblings?.[place + 1] ?? -1] ?? null,
  };
}

function rowsAt(rows: readonly SpanRow[], places: readonly number[]): SpanRow[] {
  return places.map((at) => rows[at] as SpanRow);
}

/** The agent that a span belongs to: the innermost enclosing agent span. */
export function agentAround({ ancestors }: Around): SpanRow | null {
  return ancestors.findLast((row) => row.kind === "agent") ?? null;
}

/** Spans below another one with the same kind and name, summed up; inferred ones apart from recorded ones. */
export interface Group extends Sums {
  kind: Kind;
  name: string;
  inferred: boolean;
  /** The first that failed, otherwise the first. */
  first: SpanRow;
  count: number;
  /** Milliseconds; calls at the same time count in full. */
  totalMs: number;
  running: number;
  errors: number;
}

/** Tokens and dollars; null if unknown. */
export interface Sums {
  inputTokens: number | null;
  outputTokens: number | null;
  costUsd: number | null;
  /** Calls without a known price, which the cost leaves out. */
  unpricedCalls: number;
}

/** Sum up rows by kind and name, in order of the first ones; tokens and cost are those in `below`, if given. */
export function groupsOf(rows: readonly SpanRow[], nowMs: number, below?: ReadonlyMap<string, Sums>): Group[] {
  const groups = new Map<string, Group>();
  for (const row of rows) {
    const key = `${row.kind} ${row.inferred !== null} ${row.name}`;
    const group = groups.get(key) ?? empty(row);
    groups.set(key, group);
    group.count++;
    group.totalMs += Math.max(0, endMs(row, nowMs) - row.startMs);
    if (row.status === "running") group.running++;
    if (row.status === "error" && group.errors++ === 0) group.first = row;
    add(group, below?.get(row.id) ?? sumsOf(row));
  }
  return [...groups.values()];
}

/** What each of some rows and the rows below it used; a row or call below two of them counts for the first. */
export function sumsBelow(rows: readonly SpanRow[], tops: readonly SpanRow[]): Map<string, Sums> {
  const tree = treeOf(rows);
  const seen = new Uint8Array(rows.length);
  const positions = new Int32Array(rows.length);
  tree.order.forEach((at, position) => {
    positions[at] = position;
  });
  return new Map(
    tops.map((top) => {
      const sums: Sums = { inputTokens: null, outputTokens: null, costUsd: null, unpricedCalls: 0 };
      const first = tree.places.get(top.id);
      for (const at of first === undefined ? [] : branchAt(tree, positions[first] as number)) {
        const row = rows[at] as SpanRow;
        if (row.foldedInto === null && !seen[at]) add(sums, sumsOf(row));
        seen[at] = 1;
      }
      return [top.id, sums];
    }),
  );
}

/** All rows below one, by start, without duplicates. */
export function descendantsOf(rows: readonly SpanRow[], spanId: string): SpanRow[] {
  const tree = treeOf(rows);
  const top = tree.places.get(spanId);
  return top === undefined ? [] : countingAt(rows, branchAt(tree, tree.order.indexOf(top)).slice(1));
}

/** The direct children of a row; a duplicate among them is replaced by its own children. */
export function calledBy(rows: readonly SpanRow[], spanId: string): SpanRow[] {
  const tree = treeOf(rows);
  const top = tree.places.get(spanId);
  const found: number[] = [];
  const waiting = top === undefined ? [] : [top];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const child of tree.children[at] ?? []) (rows[child]?.foldedInto === null ? found : waiting).push(child);
  }
  return countingAt(rows, Int32Array.from(found));
}

function countingAt(rows: readonly SpanRow[], places: Int32Array): SpanRow[] {
  const found: SpanRow[] = [];
  for (const at of places.toSorted()) if (rows[at]?.foldedInto === null) found.push(rows[at]);
  return found;
}

/** The row at a position of a tree's order, and everything below it, as places. */
function branchAt({ order, depth }: Tree, position: number): Int32Array {
  const own = depth[order[position] as number] as number;
  let end = position + 1;
  while (end < order.length && (depth[order[end] as number] as number) > own) end++;
  return order.subarray(position, end);
}

function sumsOf(row: SpanRow): Sums {
  const { inputTokens, outputTokens, costUsd } = row;
  return { inputTokens, outputTokens, costUsd, unpricedCalls: isUnpriced(row) ? 1 : 0 };
}

function add(sums: Sums, more: Sums): void {
  sums.inputTokens = sum(sums.inputTokens, more.inputTokens);
  sums.outputTokens = sum(sums.outputTokens, more.outputTokens);
  sums.costUsd = sum(sums.costUsd, more.costUsd);
  sums.unpricedCalls += more.unpricedCalls;
}

function empty(row: SpanRow): Group {
  const { kind, name } = row;
  return {
    kind,
    name,
    inferred: row.inferred !== null,
    first: row,
    count: 0,
    totalMs: 0,
    running: 0,
    errors: 0,
    inputTokens: null,
    outputTokens: null,
    costUsd: null,
    unpricedCalls: 0,
  };
}

function sum(total: number | null, value: number | null): number | null {
  return value === null ? total : (total ?? 0) + value;
}
