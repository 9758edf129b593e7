import type { Search } from "./filter";

/** What a list can be sorted by instead of time, its default. */
export const SORTS = ["duration", "tokens", "cost"] as const;
export type Sort = (typeof SORTS)[number];

export interface ListOrder {
  sort: Sort | "time";
  order: "asc" | "desc";
}

/** The order of a list in an address; empty for the latest first. */
export interface Sorted {
  sort?: Sort;
  order?: "asc";
}

/** The order in an address. */
export function sortedIn(search: Search): Sorted {
  const sort = SORTS.find((each) => each === search.sort);
  return { ...(sort && { sort }), ...(search.order === "asc" && { order: "asc" }) };
}

/** The order of the list, latest first by default. */
export function orderIn({ sort, order }: Sorted): ListOrder {
  return { sort: sort ?? "time", order: order ?? "desc" };
}

/** The address after a click on a column's heading: largest first, then smallest first, then the default. */
export function sortedBy<S extends Sorted>(search: S, column: ListOrder["sort"]): S {
  const { sort: _sort, order: _order, ...rest } = search;
  const { sort, order } = orderIn(search);
  if (sort === column && order === "asc") return rest as S;
  return {
    ...rest,
    ...(column !== "time" && { sort: column }),
    ...(sort === column && order === "desc" && { order: "asc" as const }),
  } as S;
}
