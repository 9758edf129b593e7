import { useEffect, useState } from "react";
import { LiveRows } from "@/lib/live-rows";
import { rowOf, rowsOf, type SpanRow } from "@/lib/spans";
import { msBetween, type UnixNano } from "@/lib/time";
import { totalsOf } from "@/lib/totals";
import { ApiError, type SpanEvent, type Trace } from "./client";
import { outlinePage } from "./queries";
import { follow } from "./stream";

/** A trace as far as it is here; windows arrive one after the other, then whatever changes. */
export interface LiveTrace {
  trace: Trace | null;
  /** By start. A new array with each change; rows that did not change stay the same objects. */
  rows: readonly SpanRow[];
  /** What the rows' times count from. */
  base: UnixNano;
  /** Whether every window has arrived. */
  complete: boolean;
  error: Error | null;
}

const RETRY_MS = 1500;

const NOTHING: LiveTrace = { trace: null, rows: [], base: "0", complete: false, error: null };

/** Load a trace window by window and follow it while it is shown. Another trace asks for another component (`key`). */
export function useTrace(traceId: string): LiveTrace & { reload: () => void } {
  const [state, setState] = useState<LiveTrace>(NOTHING);
  const [attempt, setAttempt] = useState(0);
  const reload = () => setAttempt((before) => before + 1);
  useEffect(() => load(traceId, attempt > 0, setState, () => setAttempt((before) => before + 1)), [traceId, attempt]);
  return { ...state, reload };
}

type Show = (change: LiveTrace | ((before: LiveTrace) => LiveTrace)) => void;

/** @param again Whether something is shown already, which then stays until all of the newer state is here. */
function load(traceId: string, again: boolean, show: Show, restart: () => void): () => void {
  const abort = new AbortController();
  let stop = () => {};

  async function run() {
    let page = await outlinePage(traceId, null, abort.signal);
    const { trace, start_time_unix_nano: base, seq } = page;
    const rows = new LiveRows(rowsOf(page));
    while (page.next_cursor !== null) {
      if (!again) show({ trace, rows: rows.rows, base, complete: false, error: null });
      page = await outlinePage(traceId, page.next_cursor, abort.signal);
      rows.merge(rowsOf(page, msBetween(base, page.start_time_unix_nano)));
    }
    show({ trace, rows: rows.rows, base, complete: true, error: null });
    // From the first window on: what changed while the others were under way is told once more.
    if (!abort.signal.aborted) stop = keep(trace, rows, base, seq, show, restart);
  }

  let timer = 0;
  run().catch((error: Error) => {
    if (abort.signal.aborted) return;
    show((before) => ({ ...before, error }));
    if (mayPass(error)) timer = window.setTimeout(restart, RETRY_MS);
  });
  return () => {
    abort.abort();
    window.clearTimeout(timer);
    stop();
  };
}

/** Whether the same question may be answered a little later: nobody answered, or the server was busy or failed. */
function mayPass(error: Error): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status >= 500);
}

/** Follow a trace that is here. Changes are shown together: the larger the trace, the more of them at a time. */
function keep(trace: Trace, rows: LiveRows, base: UnixNano, seq: number, show: Show, restart: () => void): () => void {
  let waiting: SpanRow[] = [];
  let timer = 0;
  let shownAt = 0;

  function flush() {
    timer = 0;
    shownAt = performance.now();
    rows.merge(waiting);
    waiting = [];
    show({ trace: summed(trace, rows.rows), rows: rows.rows, base, complete: true, error: null });
  }

  function onSpans(spans: SpanEvent[]) {
    for (const span of spans) waiting.push(rowOf(span, base));
    if (!timer) timer = window.setTimeout(flush, Math.max(0, shownAt + pause(rows.rows.length) - performance.now()));
  }

  const stop = follow({ trace_id: trace.trace_id }, seq, { onSpans, onGap: restart });
  return () => {
    window.clearTimeout(timer);
    stop();
  };
}

/** Milliseconds between two pictures of a trace of that many rows: work for one grows with them. */
function pause(rows: number): number {
  return Math.min(500, Math.max(80, rows / 200));
}

/** The summary of a trace kept in step with its rows. */
function summed(trace: Trace, rows: readonly SpanRow[]): Trace {
  const totals = totalsOf(rows);
  return {
    ...trace,
    status: totals.status,
    name: totals.head?.name ?? trace.name,
    kind: totals.head?.kind ?? trace.kind,
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
