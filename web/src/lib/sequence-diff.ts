/** A stretch of two sequences: kept or replaced. Ends are indexes, exclusive. */
export interface Stretch {
  kept: boolean;
  before: [from: number, to: number];
  after: [from: number, to: number];
}

// With more differences than this, the rest counts as replaced: the search grows with their square.
const MOST_EDITS = 1_000;

/**
 * The shortest edit from one sequence to another, in alternating kept and replaced stretches.
 *
 * Myers' greedy search between the common prefix and the common suffix; if the rest differs too much to be compared in
 * reasonable time, it is one replaced stretch.
 */
export function diffSequences(before: readonly string[], after: readonly string[]): Stretch[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let endBefore = before.length;
  let endAfter = after.length;
  while (endBefore > start && endAfter > start && before[endBefore - 1] === after[endAfter - 1]) {
    endBefore--;
    endAfter--;
  }
  const middle = matches(before.slice(start, endBefore), after.slice(start, endAfter));
  const pairs: [number, number, number][] = [
    [0, 0, start],
    ...middle.map(([x, y, length]): [number, number, number] => [x + start, y + start, length]),
    [endBefore, endAfter, before.length - endBefore],
  ];
  return stretches(pairs);
}

/** Stretches from runs of equal items: [index before, index after, length], in order. */
function stretches(runs: readonly [number, number, number][]): Stretch[] {
  const found: Stretch[] = [];
  let x = 0;
  let y = 0;
  for (const [toX, toY, length] of runs) {
    if (toX > x || toY > y) found.push({ kept: false, before: [x, toX], after: [y, toY] });
    if (length > 0) {
      const last = found.at(-1);
      if (last?.kept) {
        last.before[1] = toX + length;
        last.after[1] = toY + length;
      } else found.push({ kept: true, before: [toX, toX + length], after: [toY, toY + length] });
    }
    x = toX + length;
    y = toY + length;
  }
  return found;
}

/** Runs of equal items, by Myers' algorithm; none if there are too many differences. */
function matches(before: readonly string[], after: readonly string[]): [number, number, number][] {
  if (before.length === 0 || after.length === 0) return [];
  const most = Math.min(before.length + after.length, MOST_EDITS);
  const furthest = new Int32Array(2 * most + 3);
  const steps: Int32Array[] = [];
  for (let edits = 0; edits <= most; edits++) {
    steps.push(furthest.slice(most + 1 - edits - 1, most + 1 + edits + 2));
    for (let line = -edits; line <= edits; line += 2) {
      let x = startOf(line, edits, (at) => furthest[most + 1 + at] ?? 0);
      while (x < before.length && x - line < after.length && before[x] === after[x - line]) x++;
      furthest[most + 1 + line] = x;
      if (x >= before.length && x - line >= after.length) return walkBack(steps, edits, before.length, after.length);
    }
  }
  return [];
}

/** The start of the path on a diagonal: one down or one to the right of the better neighbour. */
function startOf(line: number, edits: number, furthest: (line: number) => number): number {
  const down = line === -edits || (line !== edits && furthest(line - 1) < furthest(line + 1));
  return down ? furthest(line + 1) : furthest(line - 1) + 1;
}

function walkBack(steps: readonly Int32Array[], edits: number, toX: number, toY: number): [number, number, number][] {
  const runs: [number, number, number][] = [];
  let x = toX;
  let y = toY;
  for (let step = edits; step >= 0; step--) {
    const held = steps[step];
    const furthest = (line: number) => held?.[line + step + 1] ?? 0;
    const line = x - y;
    const from = step === 0 ? 0 : startOf(line, step, furthest);
    if (x > from) runs.push([from, from - line, x - from]);
    if (step === 0) break;
    const down = line === -step || (line !== step && furthest(line - 1) < furthest(line + 1));
    x = down ? from : from - 1;
    y = down ? from - line - 1 : from - line;
  }
  return runs.reverse();
}
