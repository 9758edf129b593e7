import type { SpanRow } from "./spans";

/** What the rows of a trace add up to. */
export interface Totals {
  spans: number;
  errors: number;
  running: number;
  llmCalls: number;
  toolCalls: number;
  inputTokens: number;
  outputTokens: number;
  cachedTokens: number;
  /** Null when no row knows its cost. */
  costUsd: number | null;
  /** In order of first use. */
  models: string[];
}

/** Add rows up in one pass. */
export function totalsOf(rows: readonly SpanRow[]): Totals {
  const models = new Set<string>();
  const sum = { errors: 0, running: 0, llmCalls: 0, toolCalls: 0, inputTokens: 0, outputTokens: 0, cachedTokens: 0 };
  let costUsd: number | null = null;
  for (const row of rows) {
    if (row.status === "error") sum.errors++;
    else if (row.status === "running") sum.running++;
    if (row.kind === "llm") sum.llmCalls++;
    else if (row.kind === "tool") sum.toolCalls++;
    sum.inputTokens += row.inputTokens ?? 0;
    sum.outputTokens += row.outputTokens ?? 0;
    sum.cachedTokens += row.cachedTokens ?? 0;
    if (row.costUsd !== null) costUsd = (costUsd ?? 0) + row.costUsd;
    if (row.model !== null) models.add(row.model);
  }
  return { ...sum, costUsd, models: [...models], spans: rows.length };
}
