import { type Filter, filterOf, type Search } from "@/lib/filter";
import type { RunOrder } from "@/lib/run-pages";

/** What the address of the runs holds: a filter, and how they are sorted. */
export interface RunsSearch extends Filter {
  sort?: Exclude<RunOrder["sort"], "time">;
  order?: "asc";
}

const SORTS = ["duration", "tokens", "cost"] as const;

/** What the address of this page holds; parameters that are about single spans are none of a run's. */
export function runsSearch(search: Search): RunsSearch {
  const { trace_id: _trace, parent_id: _parent, ...filter } = filterOf(search);
  const found: RunsSearch = filter;
  const sort = SORTS.find((each) => each === search.sort);
  if (sort) found.sort = sort;
  if (search.order === "asc") found.order = "asc";
  return found;
}

/** The filter alone, without how it is shown. */
export function filterIn({ sort: _sort, order: _order, ...filter }: RunsSearch): Filter {
  return filter;
}

/** How the runs are sorted, the latest first unless the address says otherwise. */
export function orderIn({ sort, order }: RunsSearch): RunOrder {
  return { sort: sort ?? "time", order: order ?? "desc" };
}

/** The address after a click on a column's heading: first the largest on top, then the smallest, then as before. */
export function sortedBy(search: RunsSearch, column: RunOrder["sort"]): RunsSearch {
  const { sort: _sort, order: _order, ...rest } = search;
  const { sort, order } = orderIn(search);
  if (sort === column && order === "asc") return rest;
  return {
    ...rest,
    ...(column !== "time" && { sort: column }),
    ...(sort === column && order === "desc" && { order: "asc" as const }),
  };
}
