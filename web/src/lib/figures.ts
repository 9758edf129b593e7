import type { Filter, Kind, Status } from "./filter";
import { clock, day } from "./format";
import { type UnixNano, unixMs } from "./time";

/** The totals of single calls or of whole runs; `key` is the value they share. */
export interface Figures {
  key: string | null;
  count: number;
  errors: number;
  p50_ms: number | null;
  p95_ms: number | null;
  p99_ms: number | null;
  input_tokens: number;
  output_tokens: number;
  cached_tokens: number;
  cost_usd: number | null;
  unpriced_calls: number;
  /** For labels of this name; only if figures are split by label. */
  mean_score?: number | null;
}

/** Fields to split figures by. */
export const GROUPINGS = [
  "model",
  "tool",
  "agent",
  "error_type",
  "name",
  "service",
  "kind",
  "status",
  "label",
] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** The orders of the rows of a split. */
export const RANKS = ["count", "errors", "p50", "p95", "tokens", "cost"] as const;
export type Rank = (typeof RANKS)[number];

/** The value to rank by; null if unknown. */
export function rankValue(figures: Figures, rank: Rank): number | null {
  switch (rank) {
    case "count":
      return figures.count;
    case "errors":
      return figures.errors;
    case "p50":
      return figures.p50_ms;
    case "p95":
      return figures.p95_ms;
    case "tokens":
      return figures.input_tokens + figures.output_tokens;
    case "cost":
      return figures.cost_usd;
  }
}

/** Rows ranked largest or smallest first; unknown values come last in both, equal ones by count, then by name. */
export function rankedFigures<T extends Figures>(rows: readonly T[], rank: Rank, order: "asc" | "desc"): T[] {
  const sign = order === "asc" ? 1 : -1;
  return [...rows].sort((a, b) => {
    const [x, y] = [rankValue(a, rank), rankValue(b, rank)];
    if (x === null || y === null) {
      if (x !== y) return x === null ? 1 : -1;
    } else if (x !== y) {
      return sign * (x - y);
    }
    return b.count - a.count || compareText(a.key ?? "", b.key ?? "");
  });
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The filter for one value of a field, on top of another filter. */
export function narrowedTo(filter: Filter, field: Grouping, value: string): Filter {
  if (field === "kind") return { ...filter, kind: [value as Kind] };
  if (field === "status") return { ...filter, status: [value as Status] };
  if (field === "label") return { ...filter, label: [...(filter.label ?? []).filter((each) => each !== value), value] };
  return { ...filter, [field]: value };
}

/** The filter for the runs that figures count: without replays unless they are asked for. */
export function runsCounted(filter: Filter): Filter {
  return { ...filter, replays: filter.replays ?? "false" };
}

/** The filter for the calls that figures count: those of such runs, without duplicates. */
export function callsCounted(filter: Filter): Filter {
  return { ...runsCounted(filter), duplicates: "false" };
}

/** The filter for failed calls; null if the filter excludes them. */
export function failedOf(filter: Filter): Filter | null {
  if (filter.status && !filter.status.includes("error")) return null;
  return { ...filter, status: ["error"] };
}

/** The filter for calls that took this time or longer. */
export function slowerThan(filter: Filter, ms: number): Filter {
  return { ...filter, min_duration_ms: Math.max(ms, filter.min_duration_ms ?? 0) };
}

/** The filter for calls with a known cost. */
export function pricedOf(filter: Filter): Filter {
  return { ...filter, min_cost_usd: filter.min_cost_usd ?? 0 };
}

/** A slice of time; `until` is not part of it. */
export interface Slice {
  since: UnixNano;
  until: UnixNano;
}

/** The slices that begin at these times, each as long as the first. */
export function slicesOf(starts: readonly UnixNano[]): Slice[] {
  const first = starts[0];
  const last = starts.at(-1);
  if (first === undefined || last === undefined) return [];
  const steps = BigInt(Math.max(1, starts.length - 1));
  // Rounded up like the others, so that the last moment is inside.
  const width = (BigInt(last) - BigInt(first)) / steps + 1n;
  return starts.map((since, at) => ({ since, until: starts[at + 1] ?? String(BigInt(since) + width) }));
}

/** A slice in words: `14:00 – 14:20`, with seconds, milliseconds or days if needed to tell its ends apart. */
export function sliceLabel({ since, until }: Slice, nowMs: number): string {
  const [from, to] = [unixMs(since), unixMs(until)];
  const dated = day(from) === day(nowMs) && day(to) === day(nowMs) ? "" : `${day(from).slice(5)} `;
  const toDay = dated && day(to) !== day(from) ? `${day(to).slice(5)} ` : "";
  return `${dated}${timeLabel(from, to - from)} – ${toDay}${timeLabel(to, to - from)}`;
}

/** A time as shown on an axis that is `spanMs` long. */
export function axisLabel(ms: number, spanMs: number, nowMs: number): string {
  const date = day(ms) === day(nowMs) ? "" : day(ms).slice(5);
  if (spanMs > 3 * DAY_MS) return date || "today";
  return `${date} ${timeLabel(ms, spanMs / 20)}`.trim();
}

const DAY_MS = 86_400_000;

function timeLabel(ms: number, widthMs: number): string {
  if (widthMs < 1000) return clock(ms, true);
  return widthMs < 60_000 ? clock(ms) : clock(ms).slice(0, 5);
}

/** A round number not below the largest value, for the top of an axis; 1 if there is no value. */
export function topOf(values: readonly (number | null)[]): number {
  const most = values.reduce<number>((top, value) => Math.max(top, value ?? 0), 0);
  if (!(most > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  const step = STEPS.find((each) => each * power >= most * (1 - 1e-9)) ?? 10;
  return step * power;
}

const STEPS = [1, 1.5, 2, 3, 4, 5, 6, 8, 10];
