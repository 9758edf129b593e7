import type { Search } from "./filter";

/** The order of a list: `time` is its default. */
export interface ListOrder<Sort extends string> {
  sort: Sort | "time";
  order: "asc" | "desc";
}

/** The order of a list in an address; empty for the latest first. */
export interface Sorted<Sort extends string> {
  sort?: Sort;
  order?: "asc";
}

/** The order in an address. */
export function sortedIn<Sort extends string>(search: Search, sorts: readonly Sort[]): Sorted<Sort> {
  const sort = sorts.find((each) => each === search.sort);
  return { ...(sort && { sort }), ...(search.order === "asc" && { order: "asc" }) };
}

/** The order of the list, latest first by default. */
export function orderIn<Sort extends string>({ sort, order }: Sorted<Sort>): ListOrder<Sort> {
  return { sort: sort ?? "time", order: order ?? "desc" };
}

/** The address after a click on a column's heading: largest first, then smallest first, then the default. */
export function sortedBy<S extends Sorted<string>>(search: S, column: NonNullable<S["sort"]> | "time"): S {
  const { sort: _sort, order: _order, ...rest } = search;
  const { sort, order } = orderIn(search);
  if (sort === column && order === "asc") return rest as S;
  return {
    ...rest,
    ...(column !== "time" && { sort: column }),
    ...(sort === column && order === "desc" && { order: "asc" as const }),
  } as S;
}
