import { describe, expect, test } from "vitest";
import { diffSequences } from "./sequence-diff";

function rebuilt(before: string[], after: string[]) {
  const stretches = diffSequences(before, after);
  const from: string[] = [];
  const to: string[] = [];
  let lastKept: boolean | null = null;
  for (const { kept, before: b, after: a } of stretches) {
    expect(kept).not.toBe(lastKept);
    lastKept = kept;
    if (kept) expect(before.slice(...b)).toEqual(after.slice(...a));
    from.push(...before.slice(...b));
    to.push(...after.slice(...a));
  }
  return { from, to, stretches };
}

function random(seed: number) {
  let state = seed;
  return () => {
    state = (state * 1103515245 + 12345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
}

/** The length of the longest common subsequence, by the slow and simple algorithm. */
function longest(a: string[], b: string[]): number {
  const width = b.length + 1;
  const table = new Array<number>((a.length + 1) * width).fill(0);
  const at = (i: number, j: number) => table[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      table[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  return at(0, 0);
}

describe("differences between sequences", () => {
  test("equal sequences are one kept stretch", () => {
    expect(diffSequences(["a", "b"], ["a", "b"])).toEqual([{ kept: true, before: [0, 2], after: [0, 2] }]);
    expect(diffSequences([], [])).toEqual([]);
  });

  test("an insertion in the middle leaves both sides", () => {
    expect(diffSequences(["a", "c"], ["a", "b", "c"])).toEqual([
      { kept: true, before: [0, 1], after: [0, 1] },
      { kept: false, before: [1, 1], after: [1, 2] },
      { kept: true, before: [1, 2], after: [2, 3] },
    ]);
  });

  test("random sequences are covered whole, in order, by as many kept items as there can be", () => {
    for (let seed = 1; seed <= 300; seed++) {
      const next = random(seed);
      const make = () => Array.from({ length: Math.floor(next() * 14) }, () => "abcd"[Math.floor(next() * 4)] ?? "a");
      const before = make();
      const after = make();
      const { from, to, stretches } = rebuilt(before, after);
      expect(from).toEqual(before);
      expect(to).toEqual(after);
      const kept = stretches.reduce((sum, s) => sum + (s.kept ? s.before[1] - s.before[0] : 0), 0);
      expect(kept).toBe(longest(before, after));
    }
  });

  test("long sequences without anything in common end quickly as one replaced stretch", () => {
    const before = Array.from({ length: 20_000 }, (_, at) => `b${at}`);
    const after = Array.from({ length: 20_000 }, (_, at) => `a${at}`);
    expect(diffSequences(before, after)).toEqual([{ kept: false, before: [0, 20_000], after: [0, 20_000] }]);
  });
});
