import { hasFailed, type SpanRow } from "@/lib/spans";
import { treeOf } from "@/lib/tree";

/** The messages of errors by span, as far as they are known. */
export type Messages = ReadonlyMap<string, string | null>;

/** Shorter messages occur in others by chance. */
const LEAST_PASSED_ON = 8;

/**
 * The call in which the failure of a span began; null if no call below it failed.
 *
 * What a call raises is the last failure below it with its message; a call that fails with another message is better
 * explained by the first. `inspector/cli/mcp_server/failures.py` has the same rule.
 */
export function causeOf(rows: readonly SpanRow[], spanId: string, messages: Messages): SpanRow | null {
  let cause: SpanRow | null = null;
  for (let here = spanId, below = failedBelow(rows, here); below.length > 0; below = failedBelow(rows, here)) {
    const outer = messages.get(here) ?? "";
    cause = below.findLast(({ id }) => passesOn(outer, messages.get(id) ?? "")) ?? (below[0] as SpanRow);
    here = cause.id;
  }
  return cause;
}

/** Whether it takes messages to tell in which call the failure of a span began. */
export function needsMessages(rows: readonly SpanRow[], spanId: string): boolean {
  const waiting = [spanId];
  for (let here = waiting.pop(); here !== undefined; here = waiting.pop()) {
    const below = failedBelow(rows, here);
    if (below.length > 1) return true;
    waiting.push(...below.map(({ id }) => id));
  }
  return false;
}

/** The failed calls below a span with no failed call in between, by start. */
function failedBelow(rows: readonly SpanRow[], spanId: string): SpanRow[] {
  const tree = treeOf(rows);
  const found: number[] = [];
  const top = tree.places.get(spanId);
  const waiting = top === undefined ? [] : [...(tree.children[top] ?? [])];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const row = rows[at] as SpanRow;
    if (row.foldedInto === null && hasFailed(row)) found.push(at);
    else waiting.push(...(tree.children[at] ?? []));
  }
  return found.sort((one, other) => one - other).map((at) => rows[at] as SpanRow);
}

/** Whether two failures have the same message, or one of them contains the other's. */
function passesOn(one: string, other: string): boolean {
  if (Math.min(one.length, other.length) < LEAST_PASSED_ON) return one !== "" && one === other;
  return one.includes(other) || other.includes(one);
}
