import type { SpanRow } from "@/lib/spans";
import { treeOf } from "@/lib/tree";

/** The time of a span in which none of its calls was running; null without calls, or if an end is unknown. */
export function selfTimeMs(rows: readonly SpanRow[], id: string): number | null {
  const at = treeOf(rows).places.get(id);
  const row = rows[at ?? -1];
  if (at === undefined || !row || row.inferred || row.durationMs === null) return null;
  const calls = callsBelow(rows, at);
  if (calls.length === 0) return null;
  const end = row.startMs + row.durationMs;
  let [self, until] = [row.durationMs, row.startMs];
  for (const { startMs, durationMs } of calls) {
    if (durationMs === null) return null;
    const to = Math.min(end, startMs + durationMs);
    const from = Math.max(until, startMs);
    if (to <= from) continue;
    self -= to - from;
    until = to;
  }
  return Math.max(0, self);
}

/** The recorded calls of a span, by start: an inferred conversation goes on between its calls. */
function callsBelow(rows: readonly SpanRow[], at: number): SpanRow[] {
  const { children } = treeOf(rows);
  const calls: SpanRow[] = [];
  const waiting = [...(children[at] ?? [])];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const row = rows[next] as SpanRow;
    if (row.inferred) waiting.push(...(children[next] ?? []));
    else calls.push(row);
  }
  return calls.sort((a, b) => a.startMs - b.startMs);
}
