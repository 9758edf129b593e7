import type { Search } from "./filter";

/** How a list is sorted: `time` is the time by which it comes unless the address says otherwise. */
export interface ListOrder<Sort extends string> {
  sort: Sort | "time";
  order: "asc" | "desc";
}

/** What an address holds of how a list is sorted; nothing for the latest first. */
export interface Sorted<Sort extends string> {
  sort?: Sort;
  order?: "asc";
}

/** How the address says that the list is sorted. */
export function sortedIn<Sort extends string>(search: Search, sorts: readonly Sort[]): Sorted<Sort> {
  const sort = sorts.find((each) => each === search.sort);
  return { ...(sort && { sort }), ...(search.order === "asc" && { order: "asc" }) };
}

/** How the list is sorted, the latest first unless the address says otherwise. */
export function orderIn<Sort extends string>({ sort, order }: Sorted<Sort>): ListOrder<Sort> {
  return { sort: sort ?? "time", order: order ?? "desc" };
}

/** The address after a click on a column's heading: first the largest on top, then the smallest, then as before. */
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
