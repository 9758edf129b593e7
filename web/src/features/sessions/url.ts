import { type Filter, filterOf, type Search } from "@/lib/filter";
import { type Sorted, sortedIn } from "@/lib/sort";

const SORTS = ["duration", "tokens", "cost"] as const;
export type SessionSort = (typeof SORTS)[number];

/** What the address of the sessions holds: a time range, the one thing that they can be narrowed to, and their order. */
export type SessionsSearch = Pick<Filter, "since" | "until"> & Sorted<SessionSort>;

/** What the address of this page holds. */
export function sessionsSearch(search: Search): SessionsSearch {
  const { since, until } = filterOf(search);
  return { ...(since && { since }), ...(until && { until }), ...sortedIn(search, SORTS) };
}
