import type { Diff, DiffStep } from "@/api/diff";

/** A row of a comparison: one call of both runs, or how many there are that are equal and not shown. */
export type Row = { kind: "call"; step: number } | { kind: "equal"; step: number; count: number; depth: number };

/**
 * The rows that show: calls that differ with those around them, and the one that is looked at.
 *
 * @param at The place of the call that is looked at.
 * @param all Whether equal calls show too.
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

/** The places of the calls that differ. */
export function differing(steps: readonly DiffStep[]): number[] {
  return steps.flatMap(({ differences }, step) => (differences.length > 0 ? [step] : []));
}

/** The next place after one, or the one before it; around the end. Null where there is none. */
export function stepped(places: readonly number[], from: number, by: 1 | -1): number | null {
  const next = by > 0 ? places.find((place) => place > from) : places.findLast((place) => place < from);
  return next ?? places.at(by > 0 ? 0 : -1) ?? null;
}

/** What is looked at where the address does not say: why the runs diverge, else where. */
export function telling({ cause, first }: Diff): number | null {
  return cause?.step ?? first;
}
