import { useQuery } from "@tanstack/react-query";
import type { Filter } from "@/lib/filter";
import { runSummary, traceSummary } from "./queries";

/** The name of the run or the trace in a filter; undefined while it is unknown. */
export function useRunName({ run_id: runId, trace_id: traceId }: Filter): string | undefined {
  const { data } = useQuery({
    queryKey: ["run-name", runId ?? null, traceId ?? null],
    queryFn: async () => {
      if (runId !== undefined) return (await runSummary(runId))?.name ?? null;
      return traceId === undefined ? null : ((await traceSummary(traceId))?.name ?? null);
    },
    enabled: runId !== undefined || traceId !== undefined,
    // A missing name is not a failure: the chip shows the id instead.
    retry: false,
  });
  return data ?? undefined;
}
