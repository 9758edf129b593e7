import { type InfiniteData, type QueryClient, type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useState } from "react";
import { knowsOf } from "@/lib/run-pages";
import { readinessQuery } from "./queries";
import { useStream } from "./stream";

const EVERYTHING = {};

/** Which traces changed; null where that is not known. */
export type ChangedTraces = ReadonlySet<string> | null;

/**
 * Tells when anything changes in the store, and in which traces.
 *
 * It also tells once at the beginning, with the change from which on it listens (`asOf`): whatever was asked for before
 * that, and does not know of this change, may have missed something.
 */
export function useLiveEdge({ onChange }: { onChange: (traces: ChangedTraces, asOf: number | null) => void }): void {
  const queries = useQueryClient();
  const [after, setAfter] = useState<number | null>();
  const changed = useEffectEvent(onChange);
  useEffect(() => {
    let here = true;
    queries
      .fetchQuery({ ...readinessQuery, staleTime: 0 })
      .then(({ seq }) => seq)
      .catch(() => null)
      .then((seq) => {
        if (!here) return;
        setAfter(seq);
        changed(null, seq);
      });
    return () => {
      here = false;
    };
  }, [queries]);
  useStream(EVERYTHING, after, {
    onSpans: (spans) => onChange(new Set(spans.map((span) => span.trace_id)), null),
    onGap: () => onChange(null, null),
  });
}

/** Whether a list that is here, or is under way, was asked for when a change was there already. */
export async function isUpTo(queries: QueryClient, queryKey: QueryKey, change: number): Promise<boolean> {
  await settled(queries, queryKey);
  const known = queries.getQueryData<InfiniteData<{ items: { seq: number }[] }>>(queryKey);
  return knowsOf(known?.pages ?? [], change);
}

/** Wait for what a query is asking for, if it does. */
export async function settled(queries: QueryClient, queryKey: QueryKey): Promise<void> {
  while (queries.isFetching({ queryKey, exact: true })) await new Promise((done) => setTimeout(done, 30));
}
