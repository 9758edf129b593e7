import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Run, Trace } from "@/api/client";
import { traceSummary } from "@/api/queries";
import { LossStrip } from "@/ui/loss-strip";

/** Says what the run's processes did not record in its time; asked for once more when the run has ended. */
export function Missing({ trace, run }: { trace: Trace; run: Run | null }) {
  const [loadedAs] = useState(trace.status);
  const { data } = useQuery({
    queryKey: ["losses", trace.trace_id, trace.status],
    queryFn: () => traceSummary(trace.trace_id),
    enabled: run === null && trace.status !== loadedAs,
  });
  const losses = data?.losses ?? run?.losses ?? trace.losses;
  return losses ? <LossStrip losses={losses} of=" of its processes" /> : null;
}
