import type { Diff, DiffStep } from "@/api/diff";

/** A row of a comparison: one call of both runs, or a number of equal calls that are not shown. */
export type Row = { kind: "call"; step: number } | { kind: "equal"; step: number; count: number; depth: number };

/**
 * The visible rows: calls that differ, those above them, and the selected one.
 *
 * @param at The index of the selected call.
 * @param all Whether to show equal calls too.
 */
export function rowsOf(steps: readonly DiffStep[], at: number | null, all: boolean): Row[] {
  const shown = all ? null : shownOf(steps, at);
  const rows: Row[] = [];
  steps.forEach(({ depth }, step) => {
    const last = rows.at(-1);
    if (shown === null || shown.has(step)) rows.push({ kind: "call", step });
    else if (last?.kind === "equal") last.count++;
    else rows.push({ kind: "equal", step, count: 1, depth });
  });
  return rows;
}

function shownOf(steps: readonly DiffStep[], at: number | null): Set<number> {
  const shown = new Set<number>();
  const around: number[] = [];
  steps.forEach(({ depth, differences }, step) => {
    around.length = depth;
    around.push(step);
    if (differences.length > 0 || step === at) for (const each of around) shown.add(each);
  });
  return shown;
}

/** The indexes of the calls that differ. */
export function differing(steps: readonly DiffStep[]): number[] {
  return steps.flatMap(({ differences }, step) => (differences.length > 0 ? [step] : []));
}

/** The next index, or the previous one; wraps around. Null if there is none. */
export function stepped(places: readonly number[], from: number, by: 1 | -1): number | null {
  const next = by > 0 ? places.find((place) => place > from) : places.findLast((place) => place < from);
  return next ?? places.at(by > 0 ? 0 : -1) ?? null;
}

/** The call to open if the URL names none: the cause of the divergence, or else its place. */
export function initialStep({ cause, first }: Diff): number | null {
  return cause?.step ?? first;
}
