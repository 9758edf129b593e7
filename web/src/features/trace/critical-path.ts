import { endMs, type SpanRow } from "@/lib/spans";
import { PART, type Steps } from "@/lib/steps";
import type { Tree } from "@/lib/tree";

/** Which spans determined when a trace ended. */
export interface CriticalPath {
  /** Ranges in which everything waited for the row itself: pairs of start and end, latest first. */
  own: ReadonlyMap<number, readonly number[]>;
  /** Ranges in which everything waited for a row or something below it. */
  through: ReadonlyMap<number, readonly number[]>;
}

interface Visit {
  /** -1 for the whole trace, whose children are the roots. */
  row: number;
  startMs: number;
  /** Everything from here on is explained. */
  cursor: number;
  until: number;
  children: readonly number[];
  next: number;
}

/**
 * Walk a trace backwards from its end: what a span waited for last is the child that ended last before that moment.
 *
 * Time between children is the span's own. A child that was still running when the next one on the path began did not
 * hold that one up, and is left out.
 */
export function* criticalPathSteps(rows: readonly SpanRow[], tree: Tree, nowMs: number): Steps<CriticalPath> {
  const ends = Float64Array.from(rows, (row) => endMs(row, nowMs));
  const own = new Map<number, number[]>();
  const through = new Map<number, number[]>();
  // A sort for each family is the one part of a trace's picture that is not linear; families are small.
  const latestFirst = (list: readonly number[]) => list.toSorted((a, b) => (ends[b] as number) - (ends[a] as number));
  const first = tree.roots.reduce(
    (least, at) => Math.min(least, (rows[at] as SpanRow).startMs),
    Number.POSITIVE_INFINITY,
  );
  const last = tree.roots.reduce((most, at) => Math.max(most, ends[at] as number), Number.NEGATIVE_INFINITY);
  const stack: Visit[] = [
    { row: -1, startMs: first, cursor: last, until: last, children: latestFirst(tree.roots), next: 0 },
  ];
  let count = 0;
  for (let visit = stack.at(-1); visit; visit = stack.at(-1)) {
    if (++count % PART === 0) yield;
    const child = nextChild(rows, ends, visit);
    if (child === null) {
      note(own, visit.row, visit.startMs, visit.cursor);
      note(through, visit.row, visit.startMs, visit.until);
      stack.pop();
      const above = stack.at(-1);
      if (above) above.cursor = Math.max(above.startMs, visit.startMs);
      continue;
    }
    const until = Math.min(ends[child] as number, visit.cursor);
    note(own, visit.row, until, visit.cursor);
    visit.cursor = until;
    const startMs = Math.max((rows[child] as SpanRow).startMs, visit.startMs);
    stack.push({
      row: child,
      startMs,
      cursor: until,
      until,
      children: latestFirst(tree.children[child] ?? []),
      next: 0,
    });
  }
  return { own, through };
}

/** The last child that had ended when the explained part begins. */
function nextChild(rows: readonly SpanRow[], ends: Float64Array, visit: Visit): number | null {
  while (visit.next < visit.children.length && visit.cursor > visit.startMs) {
    const child = visit.children[visit.next++] as number;
    const { startMs } = rows[child] as SpanRow;
    const end = ends[child] as number;
    // With the clocks of two processes, sequential calls may seem to overlap a little.
    const slack = visit.cursor === visit.until ? Number.POSITIVE_INFINITY : (end - startMs) / 100;
    if (end > visit.startMs && end > startMs && startMs < visit.cursor && end <= visit.cursor + slack) return child;
  }
  return null;
}

function note(found: Map<number, number[]>, row: number, from: number, to: number): void {
  if (row < 0 || to <= from) return;
  const pairs = found.get(row);
  if (pairs) pairs.push(from, to);
  else found.set(row, [from, to]);
}
