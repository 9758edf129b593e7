import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Run, Trace } from "@/api/client";
import { runSummary, traceSummary } from "@/api/queries";
import { LossStrip } from "@/ui/loss-strip";

/** Says what the run's processes did not record in its time; asked for once more when the run has ended. */
export function Missing({ trace, run }: { trace: Trace; run: Run | null }) {
  const [loadedAs] = useState(trace.status);
  const { data } = useQuery({
    queryKey: ["losses", run?.run_id, trace.trace_id, trace.status],
    queryFn: async () => (run ? await runSummary(run.run_id) : await traceSummary(trace.trace_id))?.losses ?? null,
    enabled: trace.status !== loadedAs,
  });
  const losses = data ?? run?.losses ?? trace.losses;
  return losses ? <LossStrip losses={losses} of=" of its processes" /> : null;
}
