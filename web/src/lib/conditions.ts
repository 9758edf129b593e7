import { type Filter, KINDS, PAIR_FIELDS, STATUSES, TEXT_FIELDS } from "./filter";
import { dollars, duration, moment } from "./format";
import { apiTime, relativeMs } from "./moments";
import { unixMs } from "./time";

/** The fields of a filter bar; a range of durations or costs is one condition. */
export const FILTER_FIELDS = [
  "status",
  "kind",
  "agent",
  "model",
  "tool",
  "service",
  "error_type",
  "name",
  "session_id",
  "duration",
  "cost",
  "args",
  "result",
  "attr",
  "label",
] as const;
export type FilterField = (typeof FILTER_FIELDS)[number];

/** Fields whose values can be suggested, because there are few of them. */
export const SUGGESTED_FIELDS = ["agent", "model", "tool", "service", "error_type", "name", "label"] as const;
export type SuggestedField = (typeof SUGGESTED_FIELDS)[number];

/** One condition of a filter as it is shown, and the filter without it. */
export interface Condition {
  id: string;
  label: string;
  value: string;
  /** The field that edits it; null if none does. */
  field: FilterField | null;
  rest: Filter;
}

const LABELS: Record<string, string> = {
  error_type: "error type",
  session_id: "session",
  name_prefix: "name begins with",
  run_id: "run",
  trace_id: "trace",
  parent_id: "child of",
  attr: "attribute",
  args: "argument",
};

/** The label of a field. */
export function fieldLabel(field: string): string {
  return LABELS[field] ?? field;
}

type Changes = { [Key in keyof Filter]?: Filter[Key] | undefined };

/** A filter with some fields set, and those that are undefined, empty or without entries removed. */
export function changed(filter: Filter, changes: Changes): Filter {
  const all: Changes = { ...filter, ...changes };
  const kept = Object.entries(all).filter(([, value]) =>
    Array.isArray(value) ? value.length > 0 : value !== undefined && value !== "",
  );
  return Object.fromEntries(kept) as Filter;
}

/** The conditions of a filter, except for the searched text and the time. */
export function conditionsOf(filter: Filter): Condition[] {
  const found: Condition[] = [];
  // A field with a single condition keeps its id while its value changes.
  const add = (field: FilterField | null, name: string, value: string, rest: Changes, id = name) =>
    found.push({ id, field, label: fieldLabel(name), value, rest: changed(filter, rest) });
  if (filter.status) add("status", "status", filter.status.join(" or "), { status: undefined });
  if (filter.kind) add("kind", "kind", filter.kind.join(" or "), { kind: undefined });
  for (const name of TEXT_FIELDS) {
    const value = filter[name];
    if (value === undefined || name === "q") continue;
    add(FILTER_FIELDS.find((field) => field === name) ?? null, name, value, { [name]: undefined });
  }
  const { min_duration_ms, max_duration_ms, min_cost_usd, max_cost_usd } = filter;
  const lasts = between(min_duration_ms, max_duration_ms, duration);
  const costs = between(min_cost_usd, max_cost_usd, dollars);
  if (lasts) add("duration", "duration", lasts, { min_duration_ms: undefined, max_duration_ms: undefined });
  if (costs) add("cost", "cost", costs, { min_cost_usd: undefined, max_cost_usd: undefined });
  if (filter.duplicates) add(null, "duplicates", "not shown", { duplicates: undefined });
  if (filter.replays) {
    add(null, "replays", filter.replays === "true" ? "included" : "left out", { replays: undefined });
  }
  for (const field of [...PAIR_FIELDS, "label"] as const) {
    for (const one of new Set(filter[field])) {
      add(field, field, one, { [field]: filter[field]?.filter((each) => each !== one) }, `${field} ${one}`);
    }
  }
  return found;
}

function between(least: number | undefined, most: number | undefined, shown: (value: number) => string): string | null {
  if (least !== undefined && most !== undefined) return `${shown(least)} – ${shown(most)}`;
  if (least !== undefined) return `≥ ${shown(least)}`;
  return most === undefined ? null : `≤ ${shown(most)}`;
}

/** Suggested time ranges, by their value in the URL; all time has none. */
export const RANGES = [
  { since: "15m", label: "Last 15 minutes" },
  { since: "1h", label: "Last hour" },
  { since: "24h", label: "Last 24 hours" },
  { since: "7d", label: "Last 7 days" },
  { since: "today", label: "Today" },
  { since: "yesterday", until: "today", label: "Yesterday" },
] as const satisfies readonly (Partial<Range> & { label: string })[];

/** The time part of a filter; undefined has no bound. */
export interface Range {
  since: string | undefined;
  until: string | undefined;
}

/** A time range in words: `Last hour`, `since 40 m`, or from one moment to another. */
export function rangeLabel({ since, until }: Range): string {
  if (since === undefined && until === undefined) return "All time";
  const known = RANGES.find((range) => range.since === since && ("until" in range ? range.until : undefined) === until);
  if (known) return known.label;
  if (since !== undefined && until === undefined && relativeMs(since) !== null)
    return /^\d+[a-z]$/.test(since) ? `Last ${since}` : `since ${since}`;
  const from = since === undefined ? null : pointLabel(since);
  const to = until === undefined ? null : pointLabel(until);
  if (from === null) return `until ${to}`;
  if (to === null) return `since ${from}`;
  const sameDay = /^\d{4}-/.test(from) && from.slice(0, 10) === to.slice(0, 10);
  return `${from} – ${sameDay ? to.slice(11) : to}`;
}

function pointLabel(text: string): string {
  if (relativeMs(text) !== null) return text.endsWith("ago") ? text : `${text} ago`;
  if (/^[a-z]/i.test(text)) return text;
  const ms = /^[0-9]+$/.test(text) ? unixMs(text) : Date.parse(apiTime(text, Date.now()) ?? text);
  return moment(ms).replace(/\.000$/, "");
}

const UNITS = { us: 0.001, µs: 0.001, ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000 } as const;

/** Parse a typed duration as milliseconds: `250`, `250 ms`, `1.5s`, `2m`, `1 h`; null if it is none of these. */
export function durationOf(text: string): number | null {
  const match = /^([0-9]+(?:[.,][0-9]+)?)\s*(us|µs|ms|s|m|min|h)?$/i.exec(text.trim());
  if (!match) return null;
  const unit = (match[2]?.toLowerCase() ?? "ms") as keyof typeof UNITS;
  return Number(match[1]?.replace(",", ".")) * UNITS[unit];
}

/** Parse a typed amount as dollars: `0.05`, `$1.20`; null if it is not an amount. */
export function amountOf(text: string): number | null {
  const match = /^\$?\s*([0-9]*[.,]?[0-9]+)$/.exec(text.trim());
  return match ? Number(match[1]?.replace(",", ".")) : null;
}

/** The values of fields with a fixed set of values. */
export const CHOICES = { status: STATUSES, kind: KINDS } as const;
