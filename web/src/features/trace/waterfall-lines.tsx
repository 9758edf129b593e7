import type { Preview } from "@/api/client";
import { countingSpan, type Duplicates } from "@/lib/duplicates";
import type { SpanRow } from "@/lib/spans";
import type { Tree } from "@/lib/tree";
import { visibleLine } from "@/lib/visible";
import type { CriticalPath } from "./critical-path";
import { previewOf } from "./preview";
import type { Subtrees } from "./subtrees";
import type { Range } from "./time-scale";
import type { Outline } from "./use-outline";
import type { Window } from "./use-window";
import { type LineFigures, type Oddity, WaterfallRow } from "./waterfall-row";

interface Props {
  rows: readonly SpanRow[];
  /** For all rows, including hidden kinds. */
  tree: Tree;
  outline: Outline;
  duplicates: Duplicates;
  seen: Window;
  lineHeight: number;
  selected: string | null;
  cursor: number;
  matches: ReadonlySet<number>;
  path: CriticalPath | null;
  view: Range;
  now: () => number;
  previews: ReadonlyMap<string, Preview>;
}

/** The lines in sight. */
export function WaterfallLines(props: Props) {
  const found = [];
  for (let line = props.seen.first; line < props.seen.last; line++) found.push(lineOf(props, line));
  return found;
}

function lineOf(props: Props, line: number) {
  const { rows, outline, path, now } = props;
  const { lines, below } = outline;
  const at = lines.row[line] as number;
  const row = rows[at] as SpanRow;
  const fold = lines.folds[lines.fold[line] as number];
  const open = lines.open[line];
  const above = outline.tree.parent[at] as number;
  const spread = fold ? null : open === false;
  return (
    <WaterfallRow
      // A line that scrolls out lends its elements to the one that scrolls in: half the work of making new ones.
      key={line % props.seen.size}
      row={row}
      place={{
        line,
        top: line * props.lineHeight,
        level: lines.level[line] as number,
        open,
        position: lines.position[line] as number,
        siblings: lines.size[line] as number,
      }}
      figures={figuresOf(rows, below, at, fold?.members)}
      hides={{
        spans: spread ? (below.spans[at] as number) : 0,
        failures: spread ? (below.failedCalls[at] as number) - (below.lostCalls[at] as number) : 0,
        lost: spread ? (below.lostCalls[at] as number) : 0,
        duplicates: outline.once && !fold ? (props.duplicates.get(row.id)?.length ?? 0) : 0,
      }}
      fold={fold ? { rows, members: fold.members, period: fold.period } : null}
      marks={{
        selected: !fold && row.id === props.selected,
        active: line === props.cursor,
        matched: fold ? fold.members.some((each) => props.matches.has(each)) : props.matches.has(at),
      }}
      time={{
        view: props.view,
        now: fold || row.status === "running" ? now : never,
        critical: criticalOf(path, fold?.members, at, open),
      }}
      sameAs={sameAs(rows, props.tree, at)}
      oddity={fold ? null : oddityOf(rows, props.tree, at)}
      agentAbove={above < 0 ? null : ((rows[above] as SpanRow).agent ?? null)}
      preview={fold ? null : previewOf(row, props.previews, rows[above]?.kind === "agent", open === true)}
    />
  );
}

/** A span's tokens and cost, or those of the spans below it; for a fold the sum of its members. */
function figuresOf(
  rows: readonly SpanRow[],
  below: Subtrees,
  at: number,
  members: readonly number[] | undefined,
): LineFigures {
  const row = rows[at] as SpanRow;
  const isOwn = row.inputTokens !== null || row.outputTokens !== null || row.costUsd !== null;
  const elsewhere = isOwn && row.foldedInto !== null;
  if (isOwn && !members) {
    const { inputTokens, outputTokens, costUsd } = row;
    return { inputTokens, outputTokens, costUsd, summed: elsewhere, elsewhere };
  }
  let [inputTokens, outputTokens, costUsd] = [0, 0, Number.NaN];
  for (const each of members ?? [at]) {
    const own = rows[each] as SpanRow;
    inputTokens += own.inputTokens ?? below.inputTokens[each] ?? 0;
    outputTokens += own.outputTokens ?? below.outputTokens[each] ?? 0;
    const cost = own.costUsd ?? below.costUsd[each] ?? Number.NaN;
    if (!Number.isNaN(cost)) costUsd = (Number.isNaN(costUsd) ? 0 : costUsd) + cost;
  }
  return {
    inputTokens: inputTokens || null,
    outputTokens: outputTokens || null,
    costUsd: Number.isNaN(costUsd) ? null : costUsd,
    summed: true,
    elsewhere,
  };
}

/** The name of the span that counts for a row's call; null if the row counts itself. */
function sameAs(rows: readonly SpanRow[], tree: Tree, at: number): string | null {
  if (rows[at]?.foldedInto == null) return null;
  const other = countingSpan(rows, tree, at);
  return other ? `${visibleLine(other.name)} ${other.where}` : "another span";
}

function never(): number {
  return 0;
}

/** A line that hides others also shows their part of the critical path. */
function criticalOf(
  path: CriticalPath | null,
  members: readonly number[] | undefined,
  at: number,
  open: boolean | undefined,
): readonly number[] | undefined {
  if (!path) return undefined;
  if (!members) return (open === false ? path.through : path.own).get(at);
  return open ? undefined : members.flatMap((member) => path.through.get(member) ?? []);
}

/** The precision of clocks on one machine. */
const SAME_MS = 0.5;

function oddityOf(rows: readonly SpanRow[], tree: Tree, at: number): Oddity {
  if (tree.orphans.has(at)) return "orphan";
  if (tree.cut.has(at)) return "cycle";
  const above = tree.parent[at] as number;
  const isEarly = above >= 0 && (rows[at] as SpanRow).startMs < (rows[above] as SpanRow).startMs - SAME_MS;
  return isEarly ? "early" : null;
}
