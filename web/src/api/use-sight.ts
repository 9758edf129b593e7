import { useCallback, useMemo, useState } from "react";
import type { Preview } from "./client";
import { eventPreviews } from "./queries";
import { type Previewed, usePreviews } from "./use-previews";

const NOTHING: readonly Previewed[] = [];
const TRACE_DIGITS = 32;

/** The key of a call by which its preview is found. */
export function previewKey({ trace_id, span_id }: { trace_id: string; span_id: string }): string {
  return `${trace_id}${span_id}`;
}

/**
 * The previews of the rows in view, and what the list tells of which these are.
 *
 * @param callsOf The calls of a row whose previews show, with their `previewKey`; a function of the module.
 */
export function useSight<Row>(rows: readonly Row[], callsOf: (row: Row) => readonly Previewed[]) {
  const [sight, setSight] = useState<{ first: number; last: number } | null>(null);
  const inSight = useMemo(
    () => (sight === null ? NOTHING : rows.slice(sight.first, sight.last + 1).flatMap(callsOf)),
    [rows, callsOf, sight],
  );
  const onSight = useCallback(
    (first: number, last: number) =>
      setSight((before) => (before?.first === first && before.last === last ? before : { first, last })),
    [],
  );
  return { previews: useCallPreviews(inSight), onSight };
}

/** The previews of calls of any runs, by their `previewKey`. */
export function useCallPreviews(calls: readonly Previewed[]): ReadonlyMap<string, Preview> {
  return usePreviews(calls, load);
}

async function load(keys: readonly string[], signal: AbortSignal) {
  const traces = new Set(keys.map((key) => key.slice(0, TRACE_DIGITS)));
  const spans = new Set(keys.map((key) => key.slice(TRACE_DIGITS)));
  const items = await eventPreviews([...traces], [...spans], signal);
  return new Map(items.map((item) => [previewKey(item), item]));
}
