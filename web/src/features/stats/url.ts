import { RANKS, type Rank } from "@/lib/figures";
import { type Filter, filterOf, type Search } from "@/lib/filter";

export interface StatsSearch extends Filter {
  /** Count runs instead of single events. */
  of?: "runs";
  /** How the tables are ranked; by the number of events if absent. */
  rank?: Exclude<Rank, "count">;
  order?: "asc";
  /** Show the charts as a table. */
  charts?: "table";
}

/** The search parameters of this page. */
export function statsSearch(search: Search): StatsSearch {
  const found: StatsSearch = filterOf(search);
  // `traces` is in older addresses.
  if (search.of === "runs" || search.of === "traces") found.of = "runs";
  const rank = RANKS.find((each) => each === search.rank);
  if (rank && rank !== "count") found.rank = rank;
  if (search.order === "asc") found.order = "asc";
  if (search.charts === "table") found.charts = "table";
  return found;
}

/** The search of the same page under another filter. */
export function withFilter({ of, rank, order, charts }: StatsSearch, filter: Filter): StatsSearch {
  return { ...filter, ...(of && { of }), ...(rank && { rank }), ...(order && { order }), ...(charts && { charts }) };
}

/** The search after a click on the heading of a column: largest first, then smallest first. */
export function rankedBy(search: StatsSearch, next: Rank): StatsSearch {
  const { rank, order, ...rest } = search;
  const again = (rank ?? "count") === next && order === undefined;
  return { ...rest, ...(next !== "count" && { rank: next }), ...(again && { order: "asc" as const }) };
}
