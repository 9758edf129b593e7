import { duplicatesOf } from "@/lib/duplicates";
import type { Kind } from "@/lib/filter";
import type { InferredTurn } from "@/lib/inferred";
import type { SpanRow } from "@/lib/spans";
import type { Steps } from "@/lib/steps";
import type { UnixNano } from "@/lib/time";
import { isNotification } from "@/lib/totals";
import { type Tree, treeSteps, withoutSteps } from "@/lib/tree";
import { conversationSteps } from "./conversations";
import { type CriticalPath, criticalPathSteps } from "./critical-path";
import { openCalls } from "./open-calls";
import { failuresOf, type Subtrees, subtreeSteps } from "./subtrees";
import { type Range, wholeOf } from "./time-scale";

/** The input of a picture. */
export interface Recorded {
  rows: readonly SpanRow[];
  /** The zero of the rows' times. */
  base: UnixNano;
  /** Agents and tools inferred from its messages, unless they are hidden. */
  turns: readonly InferredTurn[];
  /** Hidden kinds, as in the address. */
  hide: string;
  /** Whether duplicates are left out. */
  once: boolean;
  /** Milliseconds from `base` until now, where the critical path ends; null if it is not requested. */
  pathMs: number | null;
}

/** A tree, and what is below each row of it. */
interface Shown {
  tree: Tree;
  below: Subtrees;
}

/** The numbers of inferred rows, of inferred tools, and of those that failed. */
export interface InferredCounts {
  rows: number;
  tools: number;
  failures: number;
}

/** How many calls there are of a kind, as the header counts them, and how many rows that are inferred. */
export interface KindCounts {
  calls: number;
  inferred: number;
}

/** Everything that the page of a run computes from all of its rows. */
export interface Picture extends Shown {
  rows: readonly SpanRow[];
  /** Indices of the calls at which trouble began. */
  failures: readonly number[];
  /** The open calls, the longest first. */
  open: readonly SpanRow[];
  /** From the first start to the last end that is known. */
  ended: Range;
  running: boolean;
  /** Counts by kind; a kind with only duplicates is left out. */
  kinds: ReadonlyMap<Kind, KindCounts>;
  duplicates: number;
  inferred: InferredCounts;
  /** The rows that are not hidden. */
  shown: Shown;
  /** How many rows are above the deepest one that is not hidden. */
  levels: number;
  /** Which spans determined when it ended, if that is requested. */
  path: CriticalPath | null;
}

/** Computed in steps, since a hundred thousand rows take longer than the page may freeze. */
export function* pictureSteps({ rows: recorded, base, turns, hide, once, pathMs }: Recorded): Steps<Picture> {
  const rows = turns.length ? yield* conversationSteps(recorded, turns, base) : recorded;
  const tree = yield* treeSteps(rows);
  const below = yield* subtreeSteps(rows, tree);
  const shown = hide || once ? yield* shownSteps({ rows, tree }, hide, once) : { tree, below };
  yield;
  const failures = failuresOf(rows, below);
  yield;
  const open = openCalls(rows, tree).flatMap((at) => rows[at] ?? []);
  yield;
  const ended = wholeOf(rows, 0);
  yield;
  const levels = shown.tree.depth.reduce((most, depth) => Math.max(most, depth), 0);
  yield;
  // Computed here once and cached for later callers.
  duplicatesOf(rows);
  yield;
  const counts = countsOf(rows);
  const untilMs = counts.running ? Math.max(ended.to, pathMs ?? 0) : ended.to;
  const path = pathMs === null ? null : yield* criticalPathSteps(rows, tree, untilMs);
  return { rows, tree, below, failures, open, ended, ...counts, shown, levels, path };
}

function* shownSteps({ rows, tree }: { rows: readonly SpanRow[]; tree: Tree }, hide: string, once: boolean) {
  const kinds = new Set(hide.split(","));
  const shown = yield* withoutSteps(tree, (at) => {
    const row = rows[at] as SpanRow;
    return kinds.has(row.kind) || (once && row.foldedInto !== null);
  });
  return { tree: shown, below: yield* subtreeSteps(rows, shown) };
}

function countsOf(rows: readonly SpanRow[]): Pick<Picture, "running" | "kinds" | "duplicates" | "inferred"> {
  const kinds = new Map<Kind, KindCounts>();
  const inferred = { rows: 0, tools: 0, failures: 0 };
  let [running, duplicates] = [false, 0];
  for (const row of rows) {
    const ofKind = kinds.get(row.kind) ?? { calls: 0, inferred: 0 };
    kinds.set(row.kind, ofKind);
    if (row.inferred !== null) ofKind.inferred++;
    else if (row.foldedInto === null && !isNotification(row)) ofKind.calls++;
    running ||= row.status === "running";
    duplicates += Number(row.foldedInto !== null);
    if (row.inferred === null) continue;
    inferred.rows++;
    if (row.kind !== "tool") continue;
    inferred.tools++;
    inferred.failures += Number(row.status === "error");
  }
  return { running, kinds, duplicates, inferred };
}
