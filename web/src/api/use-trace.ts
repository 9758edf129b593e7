import { useEffect, useState } from "react";
import { LiveRows } from "@/lib/live-rows";
import { rowOf, rowsOf, type SpanRow } from "@/lib/spans";
import type { UnixNano } from "@/lib/time";
import { totalsOf } from "@/lib/totals";
import type { SpanEvent, Trace } from "./client";
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
      rows.merge(rowsOf(page));
    }
    show({ trace, rows: rows.rows, base, complete: true, error: null });
    // From the first window on: what changed while the others were under way is told once more.
    if (!abort.signal.aborted) stop = keep(trace, rows, base, seq, show, restart);
  }

  run().catch((error: Error) => {
    if (!abort.signal.aborted) show((before) => ({ ...before, error }));
  });
  return () => {
    abort.abort();
    stop();
  };
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

/** The summary of a trace kept in step with its rows; what rows do not know stays as it was. */
function summed(trace: Trace, rows: readonly SpanRow[]): Trace {
  const totals = totalsOf(rows);
  const root = rows.find((row) => row.parentId === null) ?? rows[0];
  return {
    ...trace,
    status: root?.status ?? trace.status,
    name: root?.name ?? trace.name,
    duration_ms: root?.durationMs ?? trace.duration_ms,
    spans: totals.spans,
    errors: totals.errors,
    llm_calls: totals.llmCalls,
    tool_calls: totals.toolCalls,
    input_tokens: totals.inputTokens,
    output_tokens: totals.outputTokens,
    cached_tokens: totals.cachedTokens,
    cost_usd: totals.costUsd ?? trace.cost_usd,
    models: totals.models,
  };
}
