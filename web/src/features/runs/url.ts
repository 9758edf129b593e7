import { type Filter, filterOf, type Search } from "@/lib/filter";
import { type Sorted, sortedIn } from "@/lib/sort";

const SORTS = ["duration", "tokens", "cost"] as const;
export type RunSort = (typeof SORTS)[number];

/** What the address of the runs holds: a filter, and how they are sorted. */
export type RunsSearch = Filter & Sorted<RunSort>;

/** What the address of this page holds; parameters that are about single spans are none of a run's. */
export function runsSearch(search: Search): RunsSearch {
  const { trace_id: _trace, parent_id: _parent, ...filter } = filterOf(search);
  return { ...filter, ...sortedIn(search, SORTS) };
}

/** The filter alone, without how it is shown. */
export function filterIn({ sort: _sort, order: _order, ...filter }: RunsSearch): Filter {
  return filter;
}

/** What a run that is opened from the list is searched for: the words, else the value that a call has. */
export function soughtIn({ q, args, result }: Filter): string | undefined {
  const pair = [...(args ?? []), ...(result ?? [])][0];
  if (q || pair === undefined) return q;
  // A phrase: a value is looked for whole, and a search knows no quotation marks inside of one.
  const value = pair.slice(pair.indexOf("=") + 1).replaceAll('"', " ");
  return /[\p{L}\p{N}]/u.test(value) ? `"${value.trim()}"` : undefined;
}
