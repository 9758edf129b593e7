import { useCallback, useEffect, useState } from "react";
import { LiveRows } from "@/lib/live-rows";
import { rowOf, rowsOf, type SpanRow } from "@/lib/spans";
import { msBetween, type UnixNano } from "@/lib/time";
import { totalsOf, WORST_FIRST } from "@/lib/totals";
import { ApiError, isServed, type Run, type SpanEvent, type Trace } from "./client";
import { onReturn, setConnection } from "./connection";
import { onOtherWindow } from "./other-windows";
import { outlinePage, type Place, runOutlinePage, runSummary, traceSummary } from "./queries";
import { follow } from "./stream";

/** A trace, or a run with all its traces, as far as loaded: window by window, then changes. */
export interface LiveTrace {
  /** The summary; for a run, as if it were one trace. */
  trace: Trace | null;
  /** The run that is shown; null if it is one trace. */
  run: Run | null;
  /** By start. A new array for each change; unchanged rows stay the same objects. */
  rows: readonly SpanRow[];
  /** The time that the rows' offsets count from. */
  base: UnixNano;
  /** Whether every window is loaded. */
  complete: boolean;
  error: Error | null;
}

interface Window {
  trace: Trace;
  run: Run | null;
  base: UnixNano;
  seq: number;
  next: string | null;
  rows: (shiftMs: number) => SpanRow[];
}

/** How long to wait before retrying a server that was busy or failed. */
const RETRY_MS = 1500;

const NOTHING: LiveTrace = { trace: null, run: null, rows: [], base: "0", complete: false, error: null };

/** Load a trace or run window by window and follow it while it is shown. Another one needs another `key`. */
export function useTrace(place: Place): { live: LiveTrace; reload: () => void } {
  const [live, setLive] = useState<LiveTrace>(NOTHING);
  const [attempt, setAttempt] = useState(0);
  const reload = useCallback(() => setAttempt((before) => before + 1), []);
  const key = JSON.stringify(place);
  useEffect(() => load(JSON.parse(key), attempt > 0, setLive, reload), [key, attempt, reload]);
  useEffect(() => {
    const shown: Place = JSON.parse(key);
    return onOtherWindow(async (change) => {
      if (change === "deleted" && (await isGone(shown))) reload();
    });
  }, [key, reload]);
  return { live, reload };
}

async function isGone(place: Place): Promise<boolean> {
  const found = "runId" in place ? runSummary(place.runId) : traceSummary(place.traceId);
  // A server that does not answer deleted nothing.
  return (await found.catch(() => undefined)) === null;
}

type Show = (change: LiveTrace | ((before: LiveTrace) => LiveTrace)) => void;

async function windowOf(place: Place, cursor: string | null, signal: AbortSignal): Promise<Window> {
  if ("traceId" in place) {
    const page = await outlinePage(place.traceId, cursor, signal);
    const { trace, seq, next_cursor: next, start_time_unix_nano: base } = page;
    return { trace, run: null, base, seq, next, rows: (shiftMs) => rowsOf(page, () => trace.trace_id, shiftMs) };
  }
  const page = await runOutlinePage(place.runId, cursor, signal);
  const { run, seq, next_cursor: next, start_time_unix_nano: base } = page;
  const traceAt = (at: number) => page.traces[page.trace[at] ?? 0] ?? "";
  return { trace: asTrace(run), run, base, seq, next, rows: (shiftMs) => rowsOf(page, traceAt, shiftMs) };
}

/** A run as if all of it were one trace. */
function asTrace(run: Run): Trace {
  return { ...run, kind: "workflow", session_id: null };
}

/** @param again Whether an older state is shown; it stays until the newer one is loaded completely. */
function load(place: Place, again: boolean, show: Show, restart: () => void): () => void {
  const abort = new AbortController();
  let stop = () => {};

  async function run() {
    let page = await windowOf(place, null, abort.signal);
    const { trace, run: whole, base, seq } = page;
    const rows = new LiveRows(page.rows(0));
    while (page.next !== null) {
      if (!again) show({ trace, run: whole, rows: rows.rows, base, complete: false, error: null });
      page = await windowOf(place, page.next, abort.signal);
      rows.merge(page.rows(msBetween(base, page.base)));
    }
    show({ trace, run: whole, rows: rows.rows, base, complete: true, error: null });
    // From the first window on: changes while the other windows load are sent once more.
    if (!abort.signal.aborted && isServed()) stop = keep(place, { trace, run: whole, base, seq }, rows, show, restart);
  }

  let timer = 0;
  run().catch((error: Error) => {
    if (abort.signal.aborted) return;
    show((before) => ({ ...before, error }));
    if (!(error instanceof ApiError)) return;
    if (error.status === 0) {
      setConnection("lost");
      stop = onReturn(restart);
    } else if (error.status >= 500) {
      timer = window.setTimeout(restart, RETRY_MS);
    }
  });
  return () => {
    abort.abort();
    window.clearTimeout(timer);
    stop();
  };
}

type Known = Pick<Window, "trace" | "run" | "base" | "seq">;

/** Follow what is loaded. Changes are shown together: the more rows, the more changes at a time. */
function keep(place: Place, known: Known, rows: LiveRows, show: Show, restart: () => void): () => void {
  const { trace, run, base, seq } = known;
  let waiting: SpanRow[] = [];
  let timer = 0;
  let shownAt = 0;

  function flush() {
    timer = 0;
    shownAt = performance.now();
    rows.merge(waiting);
    waiting = [];
    const sums = summed(trace, rows.rows, run !== null);
    show({ trace: sums, run, rows: rows.rows, base, complete: true, error: null });
  }

  function onSpans(spans: SpanEvent[]) {
    for (const span of spans) waiting.push(rowOf(span, base));
    if (!timer) timer = window.setTimeout(flush, Math.max(0, shownAt + pause(rows.rows.length) - performance.now()));
  }

  const stop = follow("traceId" in place ? { trace_id: place.traceId } : { run_id: place.runId }, seq, {
    onSpans,
    onGap: restart,
  });
  return () => {
    window.clearTimeout(timer);
    stop();
  };
}

/** Milliseconds between two renderings of a trace with this many rows, since the work grows with them. */
function pause(rows: number): number {
  return Math.min(500, Math.max(80, rows / 200));
}

/** The summary, updated from the rows; a run keeps its name, and has the worst status of its roots. */
function summed(trace: Trace, rows: readonly SpanRow[], isRun: boolean): Trace {
  const totals = totalsOf(rows);
  const named = isRun ? null : totals.head;
  return {
    ...trace,
    status: isRun ? worstRoot(rows) : totals.status,
    name: named?.name ?? trace.name,
    kind: named?.kind ?? trace.kind,
    duration_ms: totals.durationMs,
    spans: totals.spans,
    calls: totals.calls,
    errors: totals.errors,
    llm_calls: totals.llmCalls,
    tool_calls: totals.toolCalls,
    input_tokens: totals.inputTokens,
    output_tokens: totals.outputTokens,
    cached_tokens: totals.cachedTokens,
    cost_usd: totals.costUsd,
    unpriced_calls: totals.unpricedCalls,
    models: totals.models,
  };
}

function worstRoot(rows: readonly SpanRow[]): Trace["status"] {
  const statuses = new Set(rows.filter((row) => row.parentId === null).map((row) => row.status));
  return WORST_FIRST.find((each) => statuses.has(each)) ?? "ok";
}
