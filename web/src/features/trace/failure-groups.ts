import { targetOf } from "@/lib/operation";
import type { SpanRow } from "@/lib/spans";

/** Failures with the same error. */
export interface FailureGroup {
  /** The type of the error, or what failed if no type is known. */
  name: string;
  hasType: boolean;
  /** Places in the list of failures, in its order. */
  failures: number[];
}

/**
 * Failures by the type of their error, or by what failed without one, the most frequent first.
 *
 * @param failures Places among the rows.
 */
export function failureGroups(rows: readonly SpanRow[], failures: readonly number[]): FailureGroup[] {
  const groups = new Map<string, FailureGroup>();
  failures.forEach((place, at) => {
    const row = rows[place];
    if (!row) return;
    const type = row.status === "lost" ? "lost" : row.errorType;
    const name = type ?? targetOf(row) ?? row.name;
    const key = `${type !== null} ${name}`;
    const group = groups.get(key);
    if (group) group.failures.push(at);
    else groups.set(key, { name, hasType: type !== null, failures: [at] });
  });
  return [...groups.values()].sort((one, other) => other.failures.length - one.failures.length);
}

/** The failure of the group that comes after the current one; the first after the last. */
export function nextOfGroup({ failures }: FailureGroup, current: number): number {
  return failures.find((at) => at > current) ?? (failures[0] as number);
}

/**
 * The trace of the same run to compare a failed one with: the last one before it that went well and is named the same,
 * or else the first one after it.
 */
export function goodTrace(rows: readonly SpanRow[], failed: SpanRow): string | null {
  const roots = rows.filter(({ parentId, inferred }) => parentId === null && !inferred);
  const root = roots.find(({ traceId }) => traceId === failed.traceId);
  if (!root) return null;
  const good = roots.filter(
    ({ name, status, traceId }) => name === root.name && status === "ok" && traceId !== root.traceId,
  );
  const before = good.findLast(({ startMs }) => startMs <= root.startMs);
  return (before ?? good[0])?.traceId ?? null;
}
