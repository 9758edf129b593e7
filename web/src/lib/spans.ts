import type { Kind, Status } from "./filter";
import type { Inferred } from "./inferred";
import { msBetween, type UnixNano } from "./time";

/** One span of a trace with the fields that every view needs. Input and output are loaded on demand. */
export interface SpanRow {
  id: string;
  /** The trace that it was recorded in; `INFERRED` for an inferred row. */
  traceId: string;
  parentId: string | null;
  kind: Kind;
  status: Status;
  name: string;
  agent: string | null;
  model: string | null;
  tool: string | null;
  errorType: string | null;
  /** Milliseconds after the start of the trace; negative only if clocks disagree. */
  startMs: number;
  /** Null while it is running, and for ever if its end was never recorded. */
  durationMs: number | null;
  inputTokens: number | null;
  outputTokens: number | null;
  cachedTokens: number | null;
  costUsd: number | null;
  /** The span that counts for the same call; null if this one counts. */
  foldedInto: string | null;
  /** How the row was inferred from messages; null for a recorded one. Inferred rows are never counted. */
  inferred: Inferred | null;
  /** For a model call: the call that its messages continue; null if they begin a conversation, undefined if unknown. */
  continues?: string | null;
  /** For a model call with known messages: its conversation, and the characters of its prompt by part. */
  turn?: { conversation: string; sizes: Readonly<Record<string, number>>; asks: readonly string[] };
}

type Column<T> = readonly T[];

/** One window of a trace's structure in the API's format: columns, and tables that their integers refer to. */
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
 * @param traceAt The trace of each row.
 * @param shiftMs How much later this window's times start than those of the first window: a span that arrives while
 *   the windows are loading can begin before all known ones.
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

/** The fields of a span in lists and streams of the API that a row needs. */
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

/** The row of a streamed span in a trace that begins at `base`. */
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

/** The end of a row; without a recorded end it is `nowMs` while it is running, otherwise its start. */
export function endMs(row: SpanRow, nowMs: number): number {
  if (row.durationMs !== null) return row.startMs + Math.max(0, row.durationMs);
  return row.status === "running" ? Math.max(row.startMs, nowMs) : row.startMs;
}

/** Whether two rows of a span are equal, except for `turn`, which is a new object each time. */
export function saysTheSame(row: SpanRow, other: SpanRow): boolean {
  const keys = Object.keys(row) as (keyof SpanRow)[];
  return keys.every((key) => key === "turn" || row[key] === other[key]);
}

/** Whether trouble began here: the span failed, or was lost, so that nobody knows how it ended. */
export function hasFailed(row: SpanRow): boolean {
  return row.status === "error" || row.status === "lost";
}
