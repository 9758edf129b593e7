import { hasFailed, type SpanRow } from "@/lib/spans";
import { PART, type Steps } from "@/lib/steps";
import type { Tree } from "@/lib/tree";

/** Sums below each row, without the row itself; tokens and cost only of calls, without duplicates. */
export interface Subtrees {
  spans: Int32Array;
  /** How many failed or were lost, duplicates included. */
  failures: Int32Array;
  /** How many calls failed or were lost. */
  failedCalls: Int32Array;
  /** How many of these were lost. */
  lostCalls: Int32Array;
  inputTokens: Float64Array;
  outputTokens: Float64Array;
  /** NaN if no call below has a known cost. */
  costUsd: Float64Array;
}

/** Count what is below each row. */
export function* subtreeSteps(rows: readonly SpanRow[], tree: Tree): Steps<Subtrees> {
  const below: Subtrees = {
    spans: new Int32Array(rows.length),
    failures: new Int32Array(rows.length),
    failedCalls: new Int32Array(rows.length),
    lostCalls: new Int32Array(rows.length),
    inputTokens: new Float64Array(rows.length),
    outputTokens: new Float64Array(rows.length),
    costUsd: new Float64Array(rows.length).fill(Number.NaN),
  };
  for (let place = tree.order.length - 1; place >= 0; place--) {
    if (place % PART === 0) yield;
    const at = tree.order[place] as number;
    const above = tree.parent[at] as number;
    if (above >= 0) addUp(below, above, at, rows[at] as SpanRow);
  }
  return below;
}

function addUp(below: Subtrees, above: number, at: number, row: SpanRow): void {
  const add = (sums: Int32Array | Float64Array, own: number) => {
    sums[above] = (sums[above] as number) + (sums[at] as number) + own;
  };
  add(below.spans, 1);
  add(below.failures, hasFailed(row) ? 1 : 0);
  const counts = row.foldedInto === null;
  add(below.failedCalls, counts && hasFailed(row) ? 1 : 0);
  add(below.lostCalls, counts && row.status === "lost" ? 1 : 0);
  add(below.inputTokens, counts ? (row.inputTokens ?? 0) : 0);
  add(below.outputTokens, counts ? (row.outputTokens ?? 0) : 0);
  const known = below.costUsd[at] as number;
  const own = counts ? row.costUsd : null;
  const cost = Number.isNaN(known) ? own : known + (own ?? 0);
  if (cost === null) return;
  const before = below.costUsd[above] as number;
  below.costUsd[above] = Number.isNaN(before) ? cost : before + cost;
}

/** Where trouble began: failed calls with no failed call below them, by start. An error that travels up counts once. */
export function failuresOf(rows: readonly SpanRow[], below: Subtrees): number[] {
  const failures: number[] = [];
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at] as SpanRow;
    if (row.foldedInto === null && hasFailed(row) && below.failedCalls[at] === 0) failures.push(at);
  }
  return failures;
}

/** The depth down to which a tree stays readable: the deepest at which no more than `most` rows show, at least 1. */
export function readableDepth(tree: Tree, most: number): number {
  const counts: number[] = [];
  for (const at of tree.order) {
    const depth = tree.depth[at] as number;
    counts[depth] = (counts[depth] ?? 0) + 1;
  }
  let shown = 0;
  for (let depth = 0; depth < counts.length; depth++) {
    shown += counts[depth] as number;
    if (shown > most) return Math.max(1, depth - 1);
  }
  return counts.length;
}
