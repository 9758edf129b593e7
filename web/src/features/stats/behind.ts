import { type Figures, failedOf, pricedOf, RANKS, type Rank, rankValue, slowerThan } from "@/lib/figures";
import type { Filter } from "@/lib/filter";
import { compact, count, dollars, duration, withoutPrice } from "@/lib/format";
import type { BarCell, BarColumn, ListSearch } from "@/ui/bar-table";

/** What this page counts. */
export type Of = "events" | "runs";

/** The page that the numbers link to. */
export function placeOf(of: Of): "/" | "/spans" {
  return of === "runs" ? "/" : "/spans";
}

const LABELS: Record<Rank, string> = {
  count: "Count",
  errors: "Failed",
  p50: "p50",
  p95: "p95",
  tokens: "Tokens",
  cost: "Cost",
};

/** The columns of a table of figures. */
export const COLUMNS: readonly BarColumn<Rank>[] = RANKS.map((id) => ({ id, label: LABELS[id] }));

/** A row's numbers, each with a link to the events or runs that it counts. */
export function cellsOf(figures: Figures, filter: Filter): Record<Rank, BarCell> {
  const failed = figures.errors > 0 ? failedOf(filter) : null;
  const tokens = rankValue(figures, "tokens") ?? 0;
  return {
    count: { text: count(figures.count), search: figures.count ? filter : null },
    errors: { text: figures.errors ? count(figures.errors) : "–", search: failed, alarm: true },
    p50: atLeast(figures.p50_ms, filter),
    p95: atLeast(figures.p95_ms, filter),
    tokens: tokens
      ? { text: compact(tokens), search: { ...filter, sort: "cost" }, title: tokenWords(figures) }
      : { text: "–", search: null },
    cost: {
      text: dollars(figures.cost_usd),
      ...(figures.unpriced_calls > 0 && { title: withoutPrice(figures.unpriced_calls) }),
      search: figures.cost_usd === null ? null : { ...pricedOf(filter), sort: "cost" },
    },
  };
}

function atLeast(ms: number | null, filter: Filter): BarCell {
  if (ms === null) return { text: "–", search: null };
  const search: ListSearch = { ...slowerThan(filter, ms), sort: "duration" };
  return { text: duration(ms), search, title: `Those that took ${duration(ms)} or longer` };
}

/** Tokens in full: `12,345 in (1,000 cached), 678 out`. */
export function tokenWords({ input_tokens, output_tokens, cached_tokens }: Figures): string {
  const cached = cached_tokens ? ` (${count(cached_tokens)} cached)` : "";
  return `${count(input_tokens)} in${cached}, ${count(output_tokens)} out`;
}
