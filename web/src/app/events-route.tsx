import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { lazy, Suspense, useMemo } from "react";
import type { SpanEvent } from "@/api/client";
import { traceStartQuery } from "@/api/queries";
import { EventsPage } from "@/features/events/events-page";
import { type EventsSearch, eventsSearch } from "@/features/events/url";
import { Labels } from "@/features/labels/labels";
import { rowsOf } from "@/lib/spans";
import { Skeleton } from "@/ui/notice";
import { useChangeAddress } from "./use-address";
import { useTab } from "./use-tab";

const spans = getRouteApi("/spans");

// The list does not wait for the code of the detail.
const SpanDetail = lazy(async () => ({ default: (await import("@/features/span/span-detail")).SpanDetail }));

/** The spans, with the detail of the selected one. */
export function EventsRoute() {
  const search = spans.useSearch({ select: (search) => eventsSearch({ ...search }), structuralSharing: true });
  return (
    <EventsPage
      search={search}
      change={useChangeAddress<EventsSearch>()}
      detail={(traceId, spanId, event) => (
        <Detail key={`${traceId}${spanId}`} traceId={traceId} spanId={spanId} event={event} />
      )}
    />
  );
}

function Detail({ traceId, spanId, event }: { traceId: string; spanId: string; event: SpanEvent | null }) {
  const { data } = useQuery(traceStartQuery(traceId, event?.seq ?? 0));
  const tab = spans.useSearch({ select: (search) => eventsSearch({ ...search }).tab });
  const onTab = useTab();
  const rows = useMemo(() => (data ? rowsOf(data, () => traceId) : []), [data, traceId]);
  return (
    <Suspense fallback={<Skeleton />}>
      <SpanDetail
        traceId={traceId}
        spanId={spanId}
        rows={rows}
        tab={tab}
        onTab={onTab}
        labels={<Labels target={{ trace_id: traceId, span_id: spanId }} noun="span" />}
      />
    </Suspense>
  );
}
