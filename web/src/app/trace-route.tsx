import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { type ComponentProps, lazy, Suspense, useCallback, useEffect, useMemo } from "react";
import { isServed } from "@/api/client";
import type { Place } from "@/api/queries";
import { GivenLabels } from "@/features/labels/given-labels";
import { Labels as LabelsToGive } from "@/features/labels/labels";
import { SpanDetail } from "@/features/span/span-detail";
import { TraceAddress } from "@/features/trace/address";
import { TracePage } from "@/features/trace/trace-page";
import { type TraceSearch, traceSearch } from "@/features/trace/url";
import { INFERRED } from "@/lib/inferred";
import { treeOf } from "@/lib/tree";
import { Here } from "@/ui/here";
import { Skeleton } from "@/ui/notice";
import { useChangeAddress } from "./use-address";
import { useTab } from "./use-tab";

const trace = getRouteApi("/traces/$traceId");
const run = getRouteApi("/runs/$runId");

const loadGraph = () => import("@/features/graph/agent-graph");
const loadTranscript = () => import("@/features/transcript/transcript");
const AgentGraph = lazy(async () => ({ default: (await loadGraph()).AgentGraph }));
const Transcript = lazy(async () => ({ default: (await loadTranscript()).Transcript }));

/** A trace in its views, beside the detail of the span that is looked at. */
export function TraceRoute() {
  const { traceId } = trace.useParams();
  const search = trace.useSearch({ select: (search) => traceSearch({ ...search }), structuralSharing: true });
  const isHere = useCallback((other: string) => other === traceId || other === INFERRED, [traceId]);
  return (
    <Here value={isHere}>
      <Shown key={traceId} place={{ traceId }} search={search} />
    </Here>
  );
}

/** All traces of a run, as one. */
export function RunRoute() {
  const { runId } = run.useParams();
  const search = run.useSearch({ select: (search) => traceSearch({ ...search }), structuralSharing: true });
  return (
    <Here value={isOfRun}>
      <Shown key={runId} place={{ runId }} search={search} />
    </Here>
  );
}

/** Whatever a span of a run refers to is most likely of the run. */
function isOfRun(): boolean {
  return true;
}

/** What was said of a run or a span; where a server takes it, with what says more. */
function Labels(props: ComponentProps<typeof LabelsToGive>) {
  return isServed() ? <LabelsToGive {...props} /> : <GivenLabels {...props} />;
}

function Shown({ place, search }: { place: Place; search: TraceSearch }) {
  const { view } = search;
  const navigate = useNavigate();
  const change = useChangeAddress<TraceSearch>();
  const address = useMemo(() => ({ change, leave: () => void navigate({ to: "/" }) }), [change, navigate]);
  const onTab = useTab();
  // While the trace loads, not after it. What goes wrong with it is told where it is drawn.
  useEffect(() => {
    if (view === "graph") loadGraph().catch(() => {});
    if (view === "transcript") loadTranscript().catch(() => {});
  }, [view]);
  return (
    <TraceAddress value={address}>
      <TracePage
        place={place}
        search={search}
        detail={(spanId, rows) => {
          const traceId =
            rows[treeOf(rows).places.get(spanId) ?? -1]?.traceId ?? ("traceId" in place ? place.traceId : "");
          return (
            <SpanDetail
              key={spanId}
              traceId={traceId}
              spanId={spanId}
              rows={rows}
              tab={search.tab}
              onTab={onTab}
              labels={traceId !== INFERRED && <Labels target={{ trace_id: traceId, span_id: spanId }} noun="span" />}
            />
          );
        }}
        labels={(runId) => <Labels target={{ run_id: runId }} noun="run" />}
        graph={(rows, trace, selected, onSelect) => (
          <Suspense fallback={<Skeleton />}>
            <AgentGraph
              {...{ rows, trace, selected, onSelect }}
              asTable={search.as === "table"}
              onAsTable={(asTable) =>
                void change(({ as: _, ...before }) => (asTable ? { ...before, as: "table" } : before), true)
              }
            />
          </Suspense>
        )}
        transcript={(rows, _, selected, onSelect) => (
          <Suspense fallback={<Skeleton />}>
            <Transcript rows={rows} selected={selected} onSelect={onSelect} />
          </Suspense>
        )}
      />
    </TraceAddress>
  );
}
