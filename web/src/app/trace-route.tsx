import { getRouteApi } from "@tanstack/react-router";
import { lazy, Suspense, useEffect } from "react";
import { SpanDetail } from "@/features/span/span-detail";
import { TracePage } from "@/features/trace/trace-page";
import { Skeleton } from "@/ui/notice";

const route = getRouteApi("/traces/$traceId");

const loadGraph = () => import("@/features/graph/agent-graph");
const loadTranscript = () => import("@/features/transcript/transcript");
const AgentGraph = lazy(async () => ({ default: (await loadGraph()).AgentGraph }));
const Transcript = lazy(async () => ({ default: (await loadTranscript()).Transcript }));

/** A trace in its views, beside the detail of the span that is looked at. */
export function TraceRoute() {
  const { traceId } = route.useParams();
  const { view } = route.useSearch();
  // While the trace loads, not after it. What goes wrong with it is told where it is drawn.
  useEffect(() => {
    if (view === "graph") loadGraph().catch(() => {});
    if (view === "transcript") loadTranscript().catch(() => {});
  }, [view]);
  return (
    <TracePage
      key={traceId}
      traceId={traceId}
      detail={(spanId, rows) => <SpanDetail key={spanId} traceId={traceId} spanId={spanId} rows={rows} />}
      graph={(rows, trace, selected, onSelect) => (
        <Suspense fallback={<Skeleton />}>
          <AgentGraph rows={rows} trace={trace} selected={selected} onSelect={onSelect} />
        </Suspense>
      )}
      transcript={(rows, _, selected, onSelect) => (
        <Suspense fallback={<Skeleton />}>
          <Transcript traceId={traceId} rows={rows} selected={selected} onSelect={onSelect} />
        </Suspense>
      )}
    />
  );
}
