import type { Status } from "./filter";
import type { SpanRow } from "./spans";

/** What the rows of a trace add up to, by the rules of the store's own sums: both are shown of the same trace. */
export interface Totals {
  /** The row that names the trace: its earliest root, or the earliest row while there is no root. */
  head: SpanRow | null;
  /** The root's; without a root the worst of all. */
  status: Status;
  /** From the first start to the last end; null while it runs. */
  durationMs: number | null;
  spans: number;
  errors: number;
  running: number;
  /** Calls, tokens and cost count once, however many spans tell of a call. */
  llmCalls: number;
  toolCalls: number;
  inputTokens: number;
  outputTokens: number;
  cachedTokens: number;
  /** Null when no row knows its cost. */
  costUsd: number | null;
  /** Those that answered, by name: a call that still runs knows only which one was asked for. */
  models: string[];
}

const WORST_FIRST = ["running", "error", "lost", "abandoned", "cancelled"] as const;

/** Add rows up in one pass. */
export function totalsOf(rows: readonly SpanRow[]): Totals {
  const models = new Set<string>();
  const statuses = new Set<Status>();
  const sum = { errors: 0, running: 0, llmCalls: 0, toolCalls: 0, inputTokens: 0, outputTokens: 0, cachedTokens: 0 };
  let costUsd: number | null = null;
  let head: SpanRow | null = null;
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const row of rows) {
    statuses.add(row.status);
    if (row.status === "error") sum.errors++;
    else if (row.status === "running") sum.running++;
    if (row.foldedInto === null) {
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
