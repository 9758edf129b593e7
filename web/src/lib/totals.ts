import type { Status } from "./filter";
import type { SpanRow } from "./spans";

/** The totals of a trace's rows, by the same rules as the store's sums: both are shown for the same trace. */
export interface Totals {
  /** The row that names the trace: its earliest root, or its earliest row if there is no root. */
  head: SpanRow | null;
  /** The status of the root; without a root the worst of all. */
  status: Status;
  /** From the first start to the last end; null while it is running. */
  durationMs: number | null;
  spans: number;
  /** Spans that are neither duplicates nor notifications; all fields below count only these. */
  calls: number;
  errors: number;
  running: number;
  llmCalls: number;
  toolCalls: number;
  inputTokens: number;
  outputTokens: number;
  cachedTokens: number;
  /** Null if no row has a known cost. */
  costUsd: number | null;
  /** Model calls that answered or used tokens, but have no known cost. */
  unpricedCalls: number;
  /** The models of calls that are no longer running, by name. */
  models: string[];
}

export const WORST_FIRST = ["running", "error", "lost", "abandoned", "cancelled"] as const;

/** Whether a row is a model call that answered or used tokens, but has no known cost. */
export function isUnpriced(row: SpanRow): boolean {
  if (row.kind !== "llm" || row.costUsd !== null) return false;
  return row.status === "ok" || row.inputTokens !== null || row.outputTokens !== null;
}

/** Whether a row is a notification of MCP, which has no answer and so is no call. */
export function isNotification(row: SpanRow): boolean {
  return row.kind === "rpc" && row.status === "ok" && row.name.startsWith("notifications/");
}

/** Add rows up in one pass. */
export function totalsOf(rows: readonly SpanRow[]): Totals {
  const models = new Set<string>();
  const statuses = new Set<Status>();
  const sum = {
    calls: 0,
    errors: 0,
    running: 0,
    llmCalls: 0,
    toolCalls: 0,
    inputTokens: 0,
    outputTokens: 0,
    cachedTokens: 0,
    unpricedCalls: 0,
  };
  let costUsd: number | null = null;
  let head: SpanRow | null = null;
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const row of rows) {
    if (row.foldedInto === null) {
      statuses.add(row.status);
      if (!isNotification(row)) sum.calls++;
      if (row.status === "error") sum.errors++;
      else if (row.status === "running") sum.running++;
      if (isUnpriced(row)) sum.unpricedCalls++;
      if (row.kind === "llm") sum.llmCalls++;
      else if (row.kind === "tool") sum.toolCalls++;
      sum.inputTokens += row.inputTokens ?? 0;
      sum.outputTokens += row.outputTokens ?? 0;
      sum.cachedTokens += row.cachedTokens ?? 0;
      if (row.costUsd !== null) costUsd = (costUsd ?? 0) + row.costUsd;
    }
    if (row.model !== null && row.status !== "running") models.add(row.model);
    first = Math.min(first, row.startMs);
    if (row.durationMs !== null) last = Math.max(last, row.startMs + row.durationMs);
    if (!head || (head.parentId !== null && row.parentId === null)) head = row;
  }
  const worst = WORST_FIRST.find((each) => statuses.has(each)) ?? "ok";
  const status = head?.parentId === null ? head.status : worst;
  const durationMs = status === "running" || last === Number.NEGATIVE_INFINITY ? null : last - first;
  return { ...sum, costUsd, head, status, durationMs, models: [...models].sort(), spans: rows.length };
}
