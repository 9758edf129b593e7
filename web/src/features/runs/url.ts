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
