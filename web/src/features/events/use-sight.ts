import { useCallback, useMemo, useState } from "react";
import type { SpanEvent } from "@/api/client";
import { eventPreviews } from "@/api/queries";
import { type Previewed, usePreviews } from "@/api/use-previews";
import { feedKey } from "./feed";
import { type ColumnId, USUAL } from "./url";

const NOTHING: readonly Previewed[] = [];
const TRACE_DIGITS = 32;

/** The previews of the rows in view, and what the list tells of which these are. */
export function useSight(rows: readonly SpanEvent[], columns: readonly ColumnId[] | null) {
  const [sight, setSight] = useState<{ first: number; last: number } | null>(null);
  const shown = (columns ?? USUAL).includes("preview");
  const inSight = useMemo(() => {
    if (!shown || sight === null) return NOTHING;
    return rows
      .slice(sight.first, sight.last + 1)
      .map((row) => ({ key: feedKey(row), running: row.status === "running" }));
  }, [rows, sight, shown]);
  const onSight = useCallback(
    (first: number, last: number) =>
      setSight((before) => (before?.first === first && before.last === last ? before : { first, last })),
    [],
  );
  return { previews: usePreviews(inSight, load), onSight };
}

async function load(keys: readonly string[], signal: AbortSignal) {
  const traces = new Set(keys.map((key) => key.slice(0, TRACE_DIGITS)));
  const spans = new Set(keys.map((key) => key.slice(TRACE_DIGITS)));
  const items = await eventPreviews([...traces], [...spans], signal);
  return new Map(items.map((item) => [`${item.trace_id}${item.span_id}`, item]));
}
