import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { isServed } from "@/api/client";
import { eventQuery } from "@/api/queries";
import { type Call, countingRow } from "@/lib/calls";
import { type FullSpan, fullSpan } from "@/lib/full-span";

/** A call's full span, once it is loaded. */
export interface LoadedEvent {
  span: FullSpan | null;
  error: Error | null;
  retry: () => void;
}

/** Items that scroll past faster than this are not loaded. */
const PASSING_MS = 60;
const RUNNING_REFRESH_MS = 3_000;
const KEPT_MS = 120_000;

/** Load the span of a call while its item is shown, and again when it changes; null for no call. */
export function useEvent(call: Call | null): LoadedEvent {
  const row = call && countingRow(call);
  const options = eventQuery(row?.id ?? "", row?.traceId ?? "");
  const queries = useQueryClient();
  const [stayed, setStayed] = useState(() => queries.getQueryData(options.queryKey) !== undefined);
  useEffect(() => {
    const timer = window.setTimeout(() => setStayed(true), PASSING_MS);
    return () => window.clearTimeout(timer);
  }, []);
  const running = row?.status === "running" && isServed();
  const { data, error, refetch } = useQuery({
    ...options,
    enabled: row !== null && stayed,
    staleTime: running ? RUNNING_REFRESH_MS : Number.POSITIVE_INFINITY,
    refetchInterval: running ? RUNNING_REFRESH_MS : false,
    gcTime: KEPT_MS,
  });
  const loaded = data?.status;
  const status = row?.status;
  useEffect(() => {
    if (loaded !== undefined && status !== undefined && loaded !== status) void refetch();
  }, [loaded, status, refetch]);
  const span = useMemo(() => (data ? fullSpan(data) : null), [data]);
  return { span, error: span ? null : error, retry: () => void refetch() };
}
