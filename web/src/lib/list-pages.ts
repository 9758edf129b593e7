import type { ListOrder } from "./sort";

/** What every item of a live list has. */
export interface Listed {
  /** Grows with every change of its spans. */
  seq: number;
}

export interface ListPage<Item extends Listed> {
  items: Item[];
  next_cursor: string | null;
  /** What relative times of the filter counted back from: the cursor is only good together with it. */
  nowMs: number;
}

/** Pages as an infinite query keeps them. */
export interface ListPages<Item extends Listed> {
  pages: ListPage<Item>[];
  pageParams: unknown[];
}

/** What lists have to know of their items. */
export interface ItemRules<Item, Sort extends string> {
  idOf: (item: Item) => string;
  /** The nanoseconds since the Unix epoch by which they stand unless they are sorted by something else; null for unknown. */
  timeOf: (item: Item) => string | null;
  /** What they are sorted by; null where it is not known. */
  valueOf: (item: Item, sort: Sort) => number | null;
  /** Whether two words on an item of one `seq` say the same; they do unless this is said. */
  isSame?: (item: Item, other: Item) => boolean;
}

/**
 * Put a newer first page over a list of pages, without asking for the others again.
 *
 * What the newer page pushed out stays behind it; what no longer belongs above its end goes. Items that did not
 * change stay the same objects. Where the newer page has no item in common with the list, something is missing in between, and
 * the list begins anew with it.
 */
export function withFirstPage<Item extends Listed, Sort extends string>(
  known: ListPages<Item> | undefined,
  first: ListPage<Item>,
  by: ListOrder<Sort>,
  rules: ItemRules<Item, Sort>,
): ListPages<Item> {
  const { idOf, isSame = () => true } = rules;
  const before = new Map<string, Item>();
  for (const page of known?.pages ?? []) for (const item of page.items) before.set(idOf(item), item);
  const items = first.items.map((item) => {
    const old = before.get(idOf(item));
    return old?.seq === item.seq && isSame(old, item) ? old : item;
  });
  const page = { ...first, items };
  // Nothing among the rows that were looked at so far: what further pages found still holds.
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

/** The list with newer words on one of its items; what a summary alone does not tell, such as a timeline, stays. */
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

/** Whether pages were asked for when a change was there already, since one of their items tells of it or a later one. */
export function knowsOf(pages: readonly { items: readonly { seq: number }[] }[], change: number): boolean {
  return pages.some((page) => page.items.some((item) => item.seq >= change));
}

/** Items of all pages in order, each once: one can move from one page to the next between two questions. */
export function itemsOf<Item extends Listed>(known: ListPages<Item> | undefined, idOf: (item: Item) => string): Item[] {
  const items = new Map<string, Item>();
  for (const page of known?.pages ?? []) {
    for (const item of page.items) if (!items.has(idOf(item))) items.set(idOf(item), item);
  }
  return [...items.values()];
}

function isBehind<Item, Sort extends string>(
  item: Item,
  last: Item,
  { sort, order }: ListOrder<Sort>,
  rules: ItemRules<Item, Sort>,
): boolean {
  const sign = order === "desc" ? 1 : -1;
  if (sort !== "time") {
    const [a, b] = [rules.valueOf(item, sort as Sort), rules.valueOf(last, sort as Sort)];
    // Items without the value stand at one end; which one is the server's affair, so they are kept.
    if (a === null || b === null || a === b) return true;
    return (b - a) * sign > 0;
  }
  const [time, bound] = [rules.timeOf(item), rules.timeOf(last)];
  if (time === null || bound === null) return true;
  const distance = BigInt(bound) - BigInt(time);
  return distance === 0n || distance > 0n === sign > 0;
}
