import clsx from "clsx";
import { type CSSProperties, type KeyboardEvent, memo, type ReactNode, useRef } from "react";
import { isServed, type Run, type Trace } from "@/api/client";
import type { LiveTrace } from "@/api/use-trace";
import { focusInto } from "@/lib/focus";
import { mayBeInferred } from "@/lib/inferred";
import type { SpanRow } from "@/lib/spans";
import { Empty, Skeleton } from "@/ui/notice";
import { Splitter } from "@/ui/splitter";
import { useStoredNumber } from "@/ui/use-stored-number";
import { useTraceAddress } from "./address";
import { FailureStrip } from "./failure-strip";
import { FIND_ID, FindBox } from "./find-box";
import { FindPlace } from "./find-place";
import { InferredChip } from "./inferred-chip";
import { Missing } from "./missing";
import { OpenStrip } from "./open-strip";
import type { Picture } from "./picture";
import { TraceHeader } from "./trace-header";
import css from "./trace-page.module.css";
import { TraceWaterfall } from "./trace-waterfall";
import type { TraceSearch, View } from "./url";
import { useClock } from "./use-clock";
import { useFind } from "./use-find";
import { useFindMarks } from "./use-find-marks";
import { useFirst } from "./use-first";
import { useSelection } from "./use-selection";
import { useTraceKeys } from "./use-trace-keys";

/** How much of the detail has to be visible. */
const SEEN_PX = 120;

/** If the detail is below the view, nothing would seem to happen. */
function bringIntoView(detail: HTMLElement | null) {
  if (detail && detail.getBoundingClientRect().top > window.innerHeight - SEEN_PX) detail.scrollIntoView();
}

/** Lead the keys into the detail, at its begin: by itself the browser would scroll past that. */
function enter(detail: HTMLElement | null) {
  bringIntoView(detail);
  focusInto(detail);
}

function toFind() {
  document.getElementById(FIND_ID)?.focus();
}

/** How another view of the same spans is drawn. */
export type Projection = (
  rows: readonly SpanRow[],
  trace: Trace,
  selected: string | null,
  onSelect: (spanId: string) => void,
) => ReactNode;

export interface Projections {
  detail: (spanId: string, rows: readonly SpanRow[]) => ReactNode;
  graph: Projection;
  transcript: Projection;
  /** The labels of a run, and how to add one. */
  labels: (runId: string) => ReactNode;
}

interface BodyProps extends Projections, LiveTrace {
  trace: Trace;
  picture: Picture;
  search: TraceSearch;
  /** Whether conversations are still loading. */
  inferring: boolean;
  onReload: () => void;
}

/** The page of a trace once some of it is loaded. */
export const TraceBody = memo(function TraceBody({ picture, search, inferring, onReload, ...props }: BodyProps) {
  const { trace, run, complete, base, error, ...views } = props;
  const { rows, tree, failures, open } = picture;
  const { change, leave } = useTraceAddress();
  const view = search.view ?? "waterfall";
  const first = rows[failures[0] ?? tree.order[0] ?? 0];
  const running = trace.status === "running" && isServed();
  const chosen = useSelection(search.span, useFirst(first?.id ?? null, { complete, running }));
  const clock = useClock(picture, base);
  const focus = useRef<{ focus: () => void }>(null);
  const detail = useRef<HTMLElement>(null);
  const selection = { ...chosen, select };
  const page = useRef<HTMLDivElement>(null);
  const text = view === "graph" ? "" : (search.find ?? "");
  const hasSpan = search.span !== undefined;
  const place = run ? { runId: run.run_id } : { traceId: trace.trace_id };
  const find = useFind({ place, text, rows, tree, selection, hasSpan, running });
  useFindMarks(text, page, detail);

  function select(id: string) {
    chosen.select(id);
    bringIntoView(detail.current);
  }

  function toOpen() {
    const at = open.findIndex(({ id }) => id === selection.id);
    const next = open[(at + 1) % Math.max(1, open.length)];
    if (next) selection.select(next.id);
  }

  const current = Math.max(0, failures.indexOf(tree.places.get(selection.id ?? "") ?? -1));
  function step(by: 1 | -1) {
    const isOnOne = rows[failures[current] ?? -1]?.id === selection.id;
    const next = isOnOne ? (current + by + failures.length) % failures.length : current;
    const row = rows[failures[next] ?? -1];
    if (row) selection.select(row.id);
  }
  useTraceKeys({
    view,
    onView,
    onFind: toFind,
    onMatch: find.step,
    onList: leave,
    ...(failures.length > 0 && { onFailure: step }),
    ...(open.length > 0 && { onOpenCall: toOpen }),
  });

  function onView(next: View) {
    void change((before) => ({ ...before, view: next === "waterfall" ? undefined : next }));
  }

  function onFind(next: string) {
    void change((before) => ({ ...before, find: next || undefined }), true);
  }

  const hidesInferred = search.inferred === "0";
  const hasInferred = hidesInferred || picture.inferred.rows > 0;
  const chip = <InferredChip rows={picture.inferred.rows} hidden={hidesInferred} />;

  return (
    <div className={css.scroll} ref={page}>
      <TraceHeader
        {...{ trace, run, view, onView, clock, error, onReload }}
        inferred={picture.inferred}
        loaded={complete ? null : rows.length}
        labels={views.labels(run?.run_id ?? trace.run_id)}
      />
      <Missing key={trace.trace_id} trace={trace} run={run} />
      <OpenStrip open={open} clock={clock} selected={selection.id} onSelect={selection.select} />
      {failures.length > 0 && (
        <FailureStrip
          {...{ rows, failures, current, run }}
          recovered={trace.status === "ok"}
          onSelect={selection.select}
          onStep={step}
        />
      )}
      <Panels
        detail={
          selection.settled !== null &&
          (mayAsk(selection.settled, picture, run) ? (
            views.detail(selection.settled, rows)
          ) : (
            <Unknown expected={!complete || inferring} hidden={hidesInferred} />
          ))
        }
        detailRef={detail}
        onLeave={() => focus.current?.focus()}
        view={view}
      >
        {view === "waterfall" && (
          <TraceWaterfall
            {...{ picture, complete, search, selection, clock, find }}
            runId={run?.run_id ?? trace.run_id}
            onEnter={() => enter(detail.current)}
            ref={focus}
          />
        )}
        {view === "graph" && hasInferred && (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset is for what is filled in
          <div className={css.tools} role="group" aria-label="What is drawn">
            {chip}
          </div>
        )}
        {view === "graph" && views.graph(rows, trace, selection.id, selection.select)}
        {view === "transcript" && (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset is for what is filled in
          <div className={css.find} role="group" aria-label="Find">
            <div className={css.line}>
              <FindBox text={text} onText={onFind} find={find} onLeave={() => enter(detail.current)} />
              {chip}
            </div>
            <FindPlace find={find} />
          </div>
        )}
        {view === "transcript" && views.transcript(rows, trace, selection.id, selection.select)}
      </Panels>
    </div>
  );
});

/** Whether the trace of the span is known, or that it has none. */
function mayAsk(spanId: string, { tree }: Picture, run: Run | null): boolean {
  return tree.places.has(spanId) || (run === null && !mayBeInferred(spanId));
}

/** Shown if the rows lack the span in the address. */
function Unknown({ expected, hidden }: { expected: boolean; hidden: boolean }) {
  if (expected) return <Skeleton rows={10} />;
  return (
    <Empty title="Span not found in this run">
      {hidden ? "Inferred calls are hidden; this span may be one of them." : "The link may be incomplete."}
    </Empty>
  );
}

interface PanelProps {
  children: ReactNode;
  detail: ReactNode;
  detailRef: React.RefObject<HTMLElement | null>;
  onLeave: () => void;
  view: View;
}

/** A view, with the selected span beside it. */
function Panels({ children, detail, detailRef, onLeave, view }: PanelProps) {
  const [width, setWidth] = useStoredNumber("inspector.trace.detail", 480);

  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    event.preventDefault();
    onLeave();
  }

  return (
    <div className={css.panels} style={{ "--detail": `${width}px` } as CSSProperties}>
      <div className={clsx(css.main, view === "waterfall" && css.rows)}>{children}</div>
      <Splitter
        label="Width of the detail"
        value={width}
        min={320}
        max={1400}
        onChange={setWidth}
        after
        className={css.edge}
      />
      <section ref={detailRef} className={css.detail} aria-label="Selected span" tabIndex={-1} onKeyDown={onKeyDown}>
        {detail}
      </section>
    </div>
  );
}
