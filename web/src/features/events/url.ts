import { type Filter, filterOf, type Search } from "@/lib/filter";
import { type Sorted, sortedIn } from "@/lib/sort";

/** The columns, besides time, status and name. */
export const COLUMN_IDS = [
  "kind",
  "agent",
  "model",
  "tool",
  "service",
  "session",
  "run",
  "error",
  "preview",
  "duration",
  "tokens",
  "cost",
] as const;
export type ColumnId = (typeof COLUMN_IDS)[number];
/** The columns by default. */
export const USUAL: readonly ColumnId[] = ["agent", "preview", "duration", "tokens", "cost"];

/** Without `sort` the list is live, newest first. */
export interface EventsSearch extends Filter, Sorted {
  /** The chosen columns, separated by commas; absent for the default ones. */
  cols?: string;
  /** The span whose detail is shown, and its trace. */
  span?: string;
  trace?: string;
  /** The tab of the detail panel. */
  tab?: string;
}

/** The search parameters of this page. */
export function eventsSearch(search: Search): EventsSearch {
  const { sort, order } = sortedIn(search);
  const found: EventsSearch = { ...filterOf(search), ...(sort && { sort, ...(order && { order }) }) };
  const columns = columnsOf(search.cols);
  if (columns) found.cols = columns.join(",");
  if (isId(search.span, 16) && isId(search.trace, 32)) {
    found.span = search.span;
    found.trace = search.trace;
    if (typeof search.tab === "string" && /^[a-z]{1,20}$/.test(search.tab)) found.tab = search.tab;
  }
  return found;
}

/** The columns in an address; null for the default ones. */
export function columnsOf(text: unknown): ColumnId[] | null {
  if (typeof text !== "string") return null;
  const named = text.slice(0, 200).split(",");
  const found = COLUMN_IDS.filter((id) => named.includes(id));
  return found.length ? found : null;
}

/** The search of the same page under another filter. */
export function withFilter({ sort, order, cols, span, trace, tab }: EventsSearch, filter: Filter): EventsSearch {
  return {
    ...filter,
    ...(sort && { sort }),
    ...(order && { order }),
    ...(cols && { cols }),
    ...(span && { span }),
    ...(trace && { trace }),
    ...(tab && { tab }),
  };
}

/** The same list without a span's detail. */
export function withoutSpan({ span, trace, tab, ...rest }: EventsSearch): EventsSearch {
  return rest;
}

function isId(value: unknown, digits: number): value is string {
  return typeof value === "string" && value.length === digits && /^[0-9a-f]+$/.test(value);
}
