import type { SpanRow } from "@/lib/spans";
import type { Tree } from "@/lib/tree";

/** The innermost open calls, in order of start: what a run is waiting for. */
export function openCalls(rows: readonly SpanRow[], tree: Tree): number[] {
  const open: number[] = [];
  const waits = new Set<number>();
  for (const [at, row] of rows.entries()) {
    if (row.status !== "running" || row.inferred || row.foldedInto !== null) continue;
    open.push(at);
    for (let above = tree.parent[at] ?? -1; above >= 0 && !waits.has(above); above = tree.parent[above] ?? -1) {
      waits.add(above);
    }
  }
  return open.filter((at) => !waits.has(at)).sort((a, b) => (rows[a]?.startMs ?? 0) - (rows[b]?.startMs ?? 0) || a - b);
}
