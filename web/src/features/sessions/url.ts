import { type Filter, filterOf, type Search } from "@/lib/filter";
import { type Sorted, sortedIn } from "@/lib/sort";

const SORTS = ["duration", "tokens", "cost"] as const;
export type SessionSort = (typeof SORTS)[number];

/** The search parameters of the sessions: a time range, the only filter that they have, and their order. */
export type SessionsSearch = Pick<Filter, "since" | "until"> & Sorted<SessionSort>;

/** The search parameters of this page. */
export function sessionsSearch(search: Search): SessionsSearch {
  const { since, until } = filterOf(search);
  return { ...(since && { since }), ...(until && { until }), ...sortedIn(search, SORTS) };
}
