import type { Kind, Status } from "./filter";
import type { Inferred } from "./inferred";
import { msBetween, type UnixNano } from "./time";

/** One span of a trace, as much of it as every view of the trace needs. What it was given is loaded when looked at. */
export interface SpanRow {
  id: string;
  /** The trace that it is recorded in; `INFERRED` for what no span tells of. */
  traceId: string;
  parentId: string | null;
  kind: Kind;
  status: Status;
  name: string;
  agent: string | null;
  model: string | null;
  tool: string | null;
  errorType: string | null;
  /** Milliseconds after the start of the trace; negative only where clocks disagree. */
  startMs: number;
  /** Null while it runs, and for ever where its end was never recorded. */
  durationMs: number | null;
  inputTokens: number | null;
  outputTokens: number | null;
  cachedTokens: number | null;
  costUsd: number | null;
  /** The span that stands for the same call and counts for it; null where this one counts. */
  foldedInto: string | null;
  /** Where it follows from messages alone: how. It is never counted. */
  inferred: Inferred | null;
  /** Of a model call the one that its messages continue; null where they begin, undefined where that is not known. */
  continues?: string | null;
  /** Of a model call whose messages are known: its conversation, and the characters of its prompt by what they are. */
  turn?: { conversation: string; sizes: Readonly<Record<string, number>>; asks: readonly string[] };
}

type Column<T> = readonly T[];

/** One window of a trace's structure as the API answers it: columns, and tables that their integers point into. */
export interface OutlineWindow {
  tables: {
    kind: Column<Kind>;
    status: Column<Status>;
    name: Column<string>;
    agent: Column<string>;
    model: Column<string>;
    tool: Column<string>;
    error_type: Column<string>;
  };
  columns: {
    span_id: Column<string>;
    parent_id: Column<string | null>;
    offset_ms: Column<number>;
    duration_ms: Column<number | null>;
    kind: Column<number>;
    status: Column<number>;
    name: Column<number>;
    agent: Column<number>;
    model: Column<number>;
    tool: Column<number>;
    error_type: Column<number>;
    input_tokens: Column<number | null>;
    output_tokens: Column<number | null>;
    cached_tokens: Column<number | null>;
    cost_usd: Column<number | null>;
    folded_into: Column<string | null>;
  };
}

/**
 * The rows of a window, in its order: by start.
 *
 * @param traceAt The trace of each of them.
 * @param shiftMs How much later this window's times count from than those of the first window did: a span that arrives
 *   while the windows are under way can begin before all that was known.
 */
export function rowsOf({ tables, columns }: OutlineWindow, traceAt: (at: number) => string, shiftMs = 0): SpanRow[] {
  const entry = (table: Column<string>, at: number | undefined) =>
    at === undefined || at < 0 ? null : (table[at] ?? null);
  return columns.span_id.map((id, at) => ({
    id,
    traceId: traceAt(at),
    parentId: columns.parent_id[at] ?? null,
    kind: tables.kind[columns.kind[at] ?? 0] ?? "other",
    status: tables.status[columns.status[at] ?? 0] ?? "ok",
    name: entry(tables.name, columns.name[at]) ?? "",
    agent: entry(tables.agent, columns.agent[at]),
    model: entry(tables.model, columns.model[at]),
    tool: entry(tables.tool, columns.tool[at]),
    errorType: entry(tables.error_type, columns.error_type[at]),
    startMs: (columns.offset_ms[at] ?? 0) + shiftMs,
    durationMs: columns.duration_ms[at] ?? null,
    inputTokens: columns.input_tokens[at] ?? null,
    outputTokens: columns.output_tokens[at] ?? null,
    cachedTokens: columns.cached_tokens[at] ?? null,
    costUsd: columns.cost_usd[at] ?? null,
    foldedInto: columns.folded_into[at] ?? null,
    inferred: null,
  }));
}

/** A span as lists and streams of the API carry it, so far as a row needs it. */
export interface StreamedSpan {
  trace_id: string;
  span_id: string;
  parent_id: string | null;
  kind: Kind;
  status: Status;
  name: string;
  agent: string | null;
  model: string | null;
  tool: string | null;
  start_time_unix_nano: UnixNano;
  duration_ms: number | null;
  input_tokens: number | null;
  output_tokens: number | null;
  cached_tokens: number | null;
  cost_usd: number | null;
  error: { type: string | null } | null;
  folded_into: string | null;
}

/** The row of a streamed span, in a trace that begins at `base`. */
export function rowOf(span: StreamedSpan, base: UnixNano): SpanRow {
  return {
    id: span.span_id,
    traceId: span.trace_id,
    parentId: span.parent_id,
    kind: span.kind,
    status: span.status,
    name: span.name,
    agent: span.agent,
    model: span.model,
    tool: span.tool,
    errorType: span.error?.type ?? null,
    startMs: msBetween(base, span.start_time_unix_nano),
    durationMs: span.duration_ms,
    inputTokens: span.input_tokens,
    outputTokens: span.output_tokens,
    cachedTokens: span.cached_tokens,
    costUsd: span.cost_usd,
    foldedInto: span.folded_into,
    inferred: null,
  };
}

/** When a row ends; a span without an end lasts until `nowMs`, or has no length once it is known never to end. */
export function endMs(row: SpanRow, nowMs: number): number {
  if (row.durationMs !== null) return row.startMs + Math.max(0, row.durationMs);
  return row.status === "running" ? Math.max(row.startMs, nowMs) : row.startMs;
}

/** Whether a row says of its span what another one does; what its messages tell of conversations is read anew each time. */
export function saysTheSame(row: SpanRow, other: SpanRow): boolean {
  const keys = Object.keys(row) as (keyof SpanRow)[];
  return keys.every((key) => key === "turn" || row[key] === other[key]);
}
