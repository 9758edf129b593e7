import { type Filter, filterOf, type Search } from "@/lib/filter";

/** What the address of the sessions holds: a time range, the one thing that sessions can be narrowed to. */
export type SessionsSearch = Pick<Filter, "since" | "until">;

/** What the address of this page holds. */
export function sessionsSearch(search: Search): SessionsSearch {
  const { since, until } = filterOf(search);
  return { ...(since && { since }), ...(until && { until }) };
}
