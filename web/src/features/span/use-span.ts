import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import type { FullEvent } from "@/api/client";
import { eventQuery } from "@/api/queries";
import { type FullSpan, fullSpan } from "@/lib/full-span";
import { type SpanRow, saysTheSame } from "@/lib/spans";

interface LoadedSpan {
  span: FullSpan | null;
  /** As it was recorded. */
  raw: object | null;
  error: Error | null;
  retry: () => void;
  /** Loads the values that were too long to be loaded with the span. */
  loadWhole: () => void;
  loadingWhole: boolean;
}

const RUNNING_REFRESH_MS = 3_000;

/** One span in full; loaded again when its row in the trace changes. */
export function useSpan(traceId: string, spanId: string, row: SpanRow | null): LoadedSpan {
  const queries = useQueryClient();
  const [wantsWhole, setWantsWhole] = useState(false);
  const refetchInterval = (query: { state: { data?: { status?: string } | undefined } }) =>
    query.state.data?.status === "running" ? RUNNING_REFRESH_MS : false;
  const clipped = useQuery({ ...eventQuery(spanId, traceId), refetchInterval });
  const whole = useQuery({ ...eventQuery(spanId, traceId, true), enabled: wantsWhole, refetchInterval });

  const seen = useRef(row);
  useEffect(() => {
    const before = seen.current;
    seen.current = row;
    if (row === null || before === null || saysTheSame(row, before)) return;
    void queries.invalidateQueries({ queryKey: ["event", traceId, spanId] });
  }, [row, queries, traceId, spanId]);

  const data = (wantsWhole ? whole.data : undefined) ?? clipped.data;
  const span = useMemo(() => (data ? fullSpan(data) : null), [data]);
  const raw = useMemo(() => (data ? recorded(data) : null), [data]);
  return {
    span,
    raw,
    error: wantsWhole && whole.error ? whole.error : clipped.error,
    retry: () => void (wantsWhole ? whole : clipped).refetch(),
    loadWhole: () => setWantsWhole(true),
    loadingWhole: whole.isFetching && !whole.data,
  };
}

/** Another span of the same trace, if requested, with its long values if `whole`; null until it is loaded. */
export function useOtherSpan(traceId: string, spanId: string | null, whole = false) {
  const { data, isError } = useQuery({ ...eventQuery(spanId ?? "", traceId, whole), enabled: spanId !== null });
  const span = useMemo(() => (data ? fullSpan(data) : null), [data]);
  return { span, failed: isError };
}

/** The recorded span, without the messages that the API read out of it. */
function recorded({ messages: _, ...event }: FullEvent): object {
  return event;
}
