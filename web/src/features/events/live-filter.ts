import type { Filter, Kind, Status } from "@/lib/filter";

/** The fields of a streamed span that a filter can test. */
export interface FilteredSpan {
  kind: Kind;
  status: Status;
  name: string;
  agent: string | null;
  tool: string | null;
  duration_ms: number | null;
  cost_usd: number | null;
  folded_into: string | null;
}

/** A filter in two parts. */
export interface LiveFilter {
  /**
   * The part that the server filters the stream by: values that never change once they are known, and those that only
   * the server knows, such as the model that answered a call and the error types of its duplicates.
   */
  streamed: Filter;
  /** Whether a span in its current state belongs in the list. */
  fits: (span: FilteredSpan) => boolean;
}

/**
 * Split a filter for a live list.
 *
 * If the server filtered by values that can change, the stream would not say when a span no longer matches: a list of
 * running calls would never hear that a call ended, and would show it as running for ever.
 */
export function liveFilter(filter: Filter): LiveFilter {
  const { status, name, name_prefix, agent, tool, duplicates, ...kept } = filter;
  const { min_duration_ms, max_duration_ms, min_cost_usd, max_cost_usd, ...streamed } = kept;
  const tests: ((span: FilteredSpan) => boolean)[] = [];
  if (status) tests.push((span) => status.includes(span.status));
  if (name !== undefined) tests.push((span) => span.name === name);
  if (name_prefix !== undefined) tests.push((span) => span.name.startsWith(name_prefix));
  if (agent !== undefined) tests.push((span) => span.agent === agent);
  if (duplicates !== undefined) tests.push((span) => span.folded_into === null);
  if (tool !== undefined) tests.push((span) => span.tool === tool);
  tests.push((span) => within(span.duration_ms, min_duration_ms, max_duration_ms));
  tests.push((span) => within(span.cost_usd, min_cost_usd, max_cost_usd));
  return { streamed, fits: (span) => tests.every((test) => test(span)) };
}

function within(value: number | null, least: number | undefined, most: number | undefined): boolean {
  if (least === undefined && most === undefined) return true;
  return value !== null && value >= (least ?? 0) && value <= (most ?? Number.POSITIVE_INFINITY);
}
