import type { ListOrder, Sort } from "./sort";

/** An item of a live list. */
export interface Listed {
  /** Increases with every change of its spans. */
  seq: number;
}

export interface ListPage<Item extends Listed> {
  items: Item[];
  next_cursor: string | null;
  /** The time from which relative times of the filter count back: the cursor is only valid together with it. */
  nowMs: number;
}

/** The pages in the format of an infinite query. */
export interface ListPages<Item extends Listed> {
  pages: ListPage<Item>[];
  pageParams: unknown[];
}

/** How lists read their items. */
export interface ItemRules<Item> {
  idOf: (item: Item) => string;
  /** The time that a list is sorted by unless it has another order, in Unix nanoseconds; null if unknown. */
  timeOf: (item: Item) => string | null;
  /** The value of another order; null if unknown. */
  valueOf: (item: Item, sort: Sort) => number | null;
  /** Whether two versions of an item with the same `seq` are equal; by default they are. */
  isSame?: (item: Item, other: Item) => boolean;
}

/**
 * Put a newer first page over a list of pages, without loading the others again.
 *
 * Items that the newer page pushed out move behind it; those that no longer belong there are removed. Unchanged items
 * keep their identity. If the newer page has no item in common with the list, there is a gap between the two: the list
 * starts over with this page.
 */
export function withFirstPage<Item extends Listed>(
  known: ListPages<Item> | undefined,
  first: ListPage<Item>,
  by: ListOrder,
  rules: ItemRules<Item>,
): ListPages<Item> {
  const { idOf, isSame = () => true } = rules;
  const before = new Map<string, Item>();
  for (const page of known?.pages ?? []) for (const item of page.items) before.set(idOf(item), item);
  const items = first.items.map((item) => {
    const old = before.get(idOf(item));
    return old?.seq === item.seq && isSame(old, item) ? old : item;
  });
  const page = { ...first, items };
  // No match in the first rows so far: the matches on later pages are still valid.
  if (known && items.length === 0 && first.next_cursor !== null) {
    return { pages: [page, ...known.pages.slice(1)], pageParams: known.pageParams };
  }
  const last = items.at(-1);
  const joins = items.some((item) => before.has(idOf(item)));
  if (!known || known.pages.length < 2 || !joins || !last || first.next_cursor === null) {
    return { pages: [page], pageParams: [null] };
  }
  const here = new Set(items.map(idOf));
  const stays = (item: Item) => !here.has(idOf(item)) && isBehind(item, last, by, rules);
  const [top, second, ...others] = known.pages.map((each) => ({ ...each, items: each.items.filter(stays) }));
  if (!top || !second) return { pages: [page], pageParams: [null] };
  const pushed = { ...second, items: [...top.items, ...second.items] };
  return { pages: [page, pushed, ...others], pageParams: known.pageParams };
}

/** The list with a newer version of one item; fields that a summary lacks, such as the timeline, are kept. */
export function withItem<Item extends Listed>(
  known: ListPages<Item> | undefined,
  newer: Item,
  idOf: (item: Item) => string,
): ListPages<Item> | undefined {
  const id = idOf(newer);
  const renewed = (item: Item) => (idOf(item) === id && newer.seq > item.seq ? { ...item, ...newer } : item);
  return known && { ...known, pages: known.pages.map((page) => ({ ...page, items: page.items.map(renewed) })) };
}

/** The list without one item. */
export function withoutItem<Item extends Listed>(
  known: ListPages<Item> | undefined,
  id: string,
  idOf: (item: Item) => string,
): ListPages<Item> | undefined {
  const without = (items: Item[]) => items.filter((item) => idOf(item) !== id);
  return known && { ...known, pages: known.pages.map((page) => ({ ...page, items: without(page.items) })) };
}

/** Whether pages were loaded after a change: one of their items has this change or a later one. */
export function knowsOf(pages: readonly { items: readonly { seq: number }[] }[], change: number): boolean {
  return pages.some((page) => page.items.some((item) => item.seq >= change));
}

/** The items of all pages in order, without duplicates: one can move to another page between two requests. */
export function itemsOf<Item extends Listed>(known: ListPages<Item> | undefined, idOf: (item: Item) => string): Item[] {
  const items = new Map<string, Item>();
  for (const page of known?.pages ?? []) {
    for (const item of page.items) if (!items.has(idOf(item))) items.set(idOf(item), item);
  }
  return [...items.values()];
}

function isBehind<Item>(item: Item, last: Item, { sort, order }: ListOrder, rules: ItemRules<Item>): boolean {
  const sign = order === "desc" ? 1 : -1;
  if (sort !== "time") {
    const [a, b] = [rules.valueOf(item, sort), rules.valueOf(last, sort)];
    // Items without a value are at one end, which the server chooses: keep them.
    if (a === null || b === null || a === b) return true;
    return (b - a) * sign > 0;
  }
  const [time, bound] = [rules.timeOf(item), rules.timeOf(last)];
  if (time === null || bound === null) return true;
  const distance = BigInt(bound) - BigInt(time);
  return distance === 0n || distance > 0n === sign > 0;
}
