import { type Filter, filterOf, type Search } from "@/lib/filter";
import { type Sorted, sortedIn } from "@/lib/sort";

/** The search parameters of the sessions: a time range, the only filter that they have, and their order. */
export type SessionsSearch = Pick<Filter, "since" | "until"> & Sorted;

/** The search parameters of this page. */
export function sessionsSearch(search: Search): SessionsSearch {
  const { since, until } = filterOf(search);
  return { ...(since && { since }), ...(until && { until }), ...sortedIn(search) };
}
