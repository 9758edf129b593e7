import { type ReactNode, useDeferredValue, useMemo, useState } from "react";
import { bytes } from "@/lib/format";
import type { FullSpan } from "@/lib/full-span";
import { INFERRED } from "@/lib/inferred";
import { previousModelCall, talkSteps } from "@/lib/previous-call";
import type { SpanRow } from "@/lib/spans";
import { treeOf } from "@/lib/tree";
import { Button } from "@/ui/button";
import { Failure, Skeleton } from "@/ui/notice";
import { Tabs } from "@/ui/tabs";
import { useInSlices } from "@/ui/use-in-slices";
import { useSettled } from "@/ui/use-settled";
import { AttributesTab } from "./attributes-tab";
import { EventsTab } from "./events-tab";
import { LinksTab } from "./links-tab";
import { Overview } from "./overview";
import { RawTab } from "./raw-tab";
import { around } from "./related";
import css from "./span-detail.module.css";
import { SpanHeader } from "./span-header";
import { useOtherSpan, useSpan } from "./use-span";

interface Props {
  traceId: string;
  spanId: string;
  /** The trace of the span, as far as it is loaded; empty if the span is shown alone. */
  rows: readonly SpanRow[];
  /** The shown tab, as in the address; undefined for the first. */
  tab: string | undefined;
  onTab: (tab: string | undefined) => void;
  /** Its labels, and the controls to add one. */
  labels: ReactNode;
}

const NO_ROWS: readonly SpanRow[] = [];
const TABS = ["overview", "attributes", "events", "links", "raw"] as const;

/** Prepares rows for questions about previous calls. */
function* steps(rows: readonly SpanRow[]) {
  yield* talkSteps(rows);
  return rows;
}

/** Everything recorded about one span; the overview depends on its kind. */
export function SpanDetail({ traceId, spanId, rows: liveRows, tab: asked, onTab, labels }: Props) {
  // A trace can grow many times a second: what depends on the rows near the span is updated a moment later,
  // and what depends on all rows later still.
  const nearRows = useDeferredValue(liveRows);
  const place = useMemo(() => around(nearRows, spanId), [nearRows, spanId]);
  const slowRows = useSettled(liveRows);
  const settled = useInSlices(slowRows, slowRows.length, steps);
  const rows = treeOf(settled).places.has(spanId) ? settled : nearRows;
  const { span, raw, error, retry, loadWhole, loadingWhole } = useSpan(traceId, spanId, place.row);
  const isInferred = traceId === INFERRED;
  const tab = (!isInferred && TABS.find((each) => each === asked)) || TABS[0];
  const compares = tab === "overview" && (place.row?.kind === "llm" || place.row?.kind === "tool");
  const ready = useIsComparable(spanId, compares ? rows : NO_ROWS);
  const shown = ready ? span : null;
  return (
    // A region that scrolls must be reachable by keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <section className={css.detail} aria-label="Span" tabIndex={0}>
      {(span || place.row) && <SpanHeader {...{ traceId, span, raw, place, rows }} labels={shown && labels} />}
      {!span && error && <Failure error={error} retry={retry} />}
      {!shown && !error && (
        <div className={css.waiting}>
          <Skeleton rows={10} />
        </div>
      )}
      {shown && (
        <Tabs
          label="Sides of this span"
          tabs={tabsOf(shown)}
          selected={tab}
          onSelect={(next) => onTab(next === TABS[0] ? undefined : next)}
        >
          <Clipped span={shown} load={loadWhole} loading={loadingWhole} />
          <div className={css.body}>
            {tab === "overview" && <Overview span={shown} place={place} rows={rows} />}
            {tab === "attributes" && <AttributesTab span={shown} />}
            {tab === "events" && <EventsTab span={shown} />}
            {tab === "links" && <LinksTab span={shown} />}
            {tab === "raw" && raw && <RawTab raw={raw} />}
          </div>
        </Tabs>
      )}
    </section>
  );
}

/**
 * Whether the model call before a span is loaded, which its overview compares it with; both are asked for together.
 *
 * Once a span is shown, it stays, whatever call turns out to be before it in a growing run.
 */
function useIsComparable(spanId: string, rows: readonly SpanRow[]): boolean {
  const [shown, setShown] = useState<string | null>(null);
  const previous = useMemo(() => previousModelCall(rows, spanId), [rows, spanId]);
  const { span, failed } = useOtherSpan(previous?.traceId ?? "", shown === spanId ? null : (previous?.id ?? null));
  const ready = shown === spanId || previous === null || span !== null || failed;
  if (ready && shown !== spanId) setShown(spanId);
  return ready;
}

function tabsOf(span: FullSpan) {
  const overview = { id: "overview", label: "Overview" } as const;
  // Nothing else is known about an inferred span.
  if (span.trace_id === INFERRED) return [overview];
  return [
    overview,
    { id: "attributes", label: "Attributes", count: Object.keys(span.attributes).length },
    { id: "events", label: "Events", count: span.events.length },
    { id: "links", label: "Links", count: span.links.length },
    { id: "raw", label: "Raw" },
  ] as const;
}

function Clipped({ span, load, loading }: { span: FullSpan; load: () => void; loading: boolean }) {
  const sizes = Object.values(span.clipped);
  if (sizes.length === 0) return null;
  const size = bytes(sizes.reduce((sum, each) => sum + each, 0));
  return (
    <div className={css.clipped}>
      <span>
        {sizes.length === 1 ? "One long value is" : `${sizes.length} long values are`} not loaded yet:{" "}
        {whatIsClipped(span.clipped)}.
      </span>
      <Button onClick={load} disabled={loading}>
        {loading ? "Loading" : `Load ${size}`}
      </Button>
    </div>
  );
}

function whatIsClipped(clipped: Record<string, number>): string {
  const names = Object.keys(clipped);
  const words = [
    names.includes("input") && "its input",
    names.includes("output") && "its output",
    names.includes("error.message") && "its error's message",
    names.includes("error.traceback") && "its traceback",
    names.some((name) => name.startsWith("attributes.")) && "attributes",
    names.some((name) => name.startsWith("events.")) && "events",
    names.some((name) => name.startsWith("links.")) && "links",
  ].filter((word) => word !== false);
  return words.join(", ");
}
