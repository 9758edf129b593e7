import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { type ComponentProps, lazy, Suspense, useCallback, useEffect, useMemo } from "react";
import { isServed } from "@/api/client";
import type { Place } from "@/api/queries";
import { Labels as EditableLabels } from "@/features/labels/labels";
import { ReadonlyLabels } from "@/features/labels/readonly-labels";
import { SpanDetail } from "@/features/span/span-detail";
import { TraceAddress } from "@/features/trace/address";
import { TracePage } from "@/features/trace/trace-page";
import { type TraceSearch, traceSearch } from "@/features/trace/url";
import { INFERRED } from "@/lib/inferred";
import { treeOf } from "@/lib/tree";
import { Here } from "@/ui/here";
import { Skeleton } from "@/ui/notice";
import { lastRuns } from "./last-runs";
import { useChangeAddress } from "./use-address";
import { useTab } from "./use-tab";

const trace = getRouteApi("/traces/$traceId");
const run = getRouteApi("/runs/$runId");

const loadGraph = () => import("@/features/graph/agent-graph");
const loadTranscript = () => import("@/features/transcript/transcript");
const AgentGraph = lazy(async () => ({ default: (await loadGraph()).AgentGraph }));
const Transcript = lazy(async () => ({ default: (await loadTranscript()).Transcript }));

/** A trace in its views, with the detail of the selected span. */
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

/** A run with all its traces. */
export function RunRoute() {
  const { runId } = run.useParams();
  const search = run.useSearch({ select: (search) => traceSearch({ ...search }), structuralSharing: true });
  return (
    <Here value={isOfRun}>
      <Shown key={runId} place={{ runId }} search={search} />
    </Here>
  );
}

/** A span that a run refers to is probably part of the run. */
function isOfRun(): boolean {
  return true;
}

/** The labels of a run or a span; with a server also the controls to add one. */
function Labels(props: ComponentProps<typeof EditableLabels>) {
  return isServed() ? <EditableLabels {...props} /> : <ReadonlyLabels {...props} />;
}

function Shown({ place, search }: { place: Place; search: TraceSearch }) {
  const { view } = search;
  const navigate = useNavigate();
  const change = useChangeAddress<TraceSearch>();
  const address = useMemo(
    () => ({ change, leave: () => void navigate({ to: "/", search: lastRuns() }) }),
    [change, navigate],
  );
  const onTab = useTab();
  // While the trace is loading, not after it. The view itself reports an error.
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
