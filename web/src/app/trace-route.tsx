import { getRouteApi } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { SpanDetail } from "@/features/span/span-detail";
import { TracePage } from "@/features/trace/trace-page";
import { Skeleton } from "@/ui/notice";

const route = getRouteApi("/traces/$traceId");

const AgentGraph = lazy(async () => ({ default: (await import("@/features/graph/agent-graph")).AgentGraph }));
const Transcript = lazy(async () => ({ default: (await import("@/features/transcript/transcript")).Transcript }));

/** A trace in its views, beside the detail of the span that is looked at. */
export function TraceRoute() {
  const { traceId } = route.useParams();
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
