import { type Filter, filterOf, type Search } from "@/lib/filter";
import { type Sorted, sortedIn } from "@/lib/sort";

/** The search parameters of the runs: a filter, and their order. */
export type RunsSearch = Filter & Sorted;

/** The search parameters of this page, without filters that only apply to single spans. */
export function runsSearch(search: Search): RunsSearch {
  const { trace_id: _trace, parent_id: _parent, ...filter } = filterOf(search);
  return { ...filter, ...sortedIn(search) };
}

/** The filter alone, without the order. */
export function filterIn({ sort: _sort, order: _order, ...filter }: RunsSearch): Filter {
  return filter;
}

/** The text to search for in a run that is opened from the list: the searched words, else the value of a call. */
export function soughtIn({ q, args, result }: Filter): string | undefined {
  const pair = [...(args ?? []), ...(result ?? [])][0];
  if (q || pair === undefined) return q;
  // As a phrase, to find the whole value; a phrase cannot contain quotation marks.
  const value = pair.slice(pair.indexOf("=") + 1).replaceAll('"', " ");
  return /[\p{L}\p{N}]/u.test(value) ? `"${value.trim()}"` : undefined;
}
