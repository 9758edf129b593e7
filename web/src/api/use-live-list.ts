import { hashKey, type InfiniteData, type QueryClient, type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef } from "react";
import {
  type ItemRules,
  knowsOf,
  type Listed,
  type ListPage,
  withFirstPage,
  withItem,
  withoutItem,
} from "@/lib/list-pages";
import { paced } from "@/lib/pace";
import type { ListOrder } from "@/lib/sort";
import type { SpanEvent } from "./client";
import type { PagePlace } from "./lists";
import { onOtherWindow } from "./other-windows";
import { useStream } from "./stream";
import { usePosition } from "./use-position";

/** Marks the queries of live lists, which update themselves. */
export const LIVE = {
  staleTime: Number.POSITIVE_INFINITY,
  refetchOnWindowFocus: false,
  structuralSharing: false,
  meta: { live: true },
} as const;

/** A list that is loaded page by page, and how to refresh what it shows. */
export interface LiveList<Item extends Listed> {
  /** The key of the infinite query that loads it, with `LIVE`. */
  queryKey: QueryKey;
  by: ListOrder;
  rules: ItemRules<Item>;
  /** Load its first page. */
  first: (place: PagePlace) => Promise<ListPage<Item>>;
  /** A key for the item that a span belongs to; null if it belongs to none in the list. */
  ownerOf: (span: SpanEvent) => string | null;
  /** The key of an item's own spans, as `ownerOf` returns it. */
  ownerIn: (item: Item) => string;
  /** The item of an owner, if that has another key. */
  itemOf?: (owner: string) => Promise<string | null>;
  /** The current state of one item; null if it is no longer in the list. */
  item: (id: string) => Promise<Item | null>;
  /** Called less often when something changed, to refresh the figures about the list. */
  onChange?: () => Promise<unknown>;
}

/** How often the list refreshes at most; the first change after a quiet time is shown at once. */
const LIST_PAUSE_MS = 300;
const FIGURES_PAUSE_MS = 2000;
/** How many items below the first page are refreshed at a time. */
const MOST_RENEWED = 16;
const EVERYTHING = {};

/**
 * Keep a list up to date.
 *
 * Its first page is loaded again, and below it only the items that changed: loading every page would take longer the
 * further one scrolls.
 */
export function useLiveList<Item extends Listed & { status: string }>(list: LiveList<Item>): void {
  const queries = useQueryClient();
  const position = usePosition();
  const kept = useRef<Kept | null>(null);
  const key = hashKey(list.queryKey);
  const latest = useEffectEvent(() => list);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list starts over
  useEffect(() => {
    const next = keep(queries, latest());
    kept.current = next;
    return next.stop;
  }, [queries, key]);
  useEffect(() => {
    if (position !== undefined) kept.current?.begin(position);
  }, [position]);
  // A deletion or a label is not a span, and no stream says that it happened.
  useEffect(() => {
    const renew = () => document.hidden || kept.current?.renew();
    document.addEventListener("visibilitychange", renew);
    const ignore = onOtherWindow(renew);
    return () => {
      document.removeEventListener("visibilitychange", renew);
      ignore();
    };
  }, []);
  useStream(EVERYTHING, position, {
    onSpans: (spans) => kept.current?.note(spans),
    onGap: () => kept.current?.gap(),
  });
}

interface Kept {
  /** Changes after `position` will be sent. */
  begin: (position: number) => void;
  note: (spans: readonly SpanEvent[]) => void;
  renew: () => void;
  gap: () => void;
  stop: () => void;
}

function keep<Item extends Listed & { status: string }>(queries: QueryClient, list: LiveList<Item>): Kept {
  const stale = new Set<string>();
  const { queryKey } = list;
  const figures = paced(async () => list.onChange?.(), FIGURES_PAUSE_MS);
  const renewed = paced(async () => {
    figures.ask();
    await renewFirst(queries, list);
    await renewBelow(queries, list, stale);
    if (stale.size > 0) renewed.ask();
  }, LIST_PAUSE_MS);
  // The loaded data may be old.
  if (queries.getQueryData(queryKey)) renewed.ask();
  return {
    async begin(position) {
      await settled(queries, queryKey);
      if (knowsOf(pagesOf<Item>(queries, queryKey), position)) return;
      renewed.ask();
    },
    note(spans) {
      for (const span of spans) {
        const owner = list.ownerOf(span);
        if (owner !== null) stale.add(owner);
      }
      renewed.ask();
    },
    renew: renewed.ask,
    gap() {
      // Changes may have been missed for items that are running.
      for (const page of pagesOf<Item>(queries, queryKey))
        for (const item of page.items) if (item.status === "running") stale.add(list.ownerIn(item));
      renewed.ask();
    },
    stop() {
      renewed.stop();
      figures.stop();
    },
  };
}

function pagesOf<Item extends Listed>(queries: QueryClient, queryKey: QueryKey): ListPage<Item>[] {
  return queries.getQueryData<InfiniteData<ListPage<Item>>>(queryKey)?.pages ?? [];
}

/** Load only the first page and replace the old one, or, if a page is loading, do so after that. */
async function renewFirst<Item extends Listed>(
  queries: QueryClient,
  { queryKey, by, rules, first }: LiveList<Item>,
): Promise<void> {
  for (;;) {
    await settled(queries, queryKey);
    const pages = pagesOf<Item>(queries, queryKey);
    // Later pages depend on cursors, and those on the time from which relative times count back.
    const nowMs = (pages.length > 1 && pages[0]?.nowMs) || Date.now();
    const page = await first({ cursor: null, nowMs });
    if (queries.isFetching({ queryKey, exact: true })) continue;
    queries.setQueryData<InfiniteData<ListPage<Item>>>(queryKey, (known) => withFirstPage(known, page, by, rules));
    return;
  }
}

/** Refresh the items below the first page that changed; those over the limit stay in `stale`. */
async function renewBelow<Item extends Listed>(
  queries: QueryClient,
  { queryKey, rules: { idOf }, ownerIn, itemOf, item }: LiveList<Item>,
  stale: Set<string>,
): Promise<void> {
  const [first, ...others] = pagesOf<Item>(queries, queryKey);
  for (const each of first?.items ?? []) stale.delete(ownerIn(each));
  const below = new Set(others.flatMap((page) => page.items).map(idOf));
  for (const each of first?.items ?? []) below.delete(idOf(each));
  if (below.size === 0) stale.clear();
  const owners = [...stale].slice(0, MOST_RENEWED);
  for (const owner of owners) stale.delete(owner);
  const ids = itemOf ? await Promise.all(owners.map(itemOf)) : owners;
  await Promise.all(
    [...new Set(ids)].map(async (id) => {
      if (id === null || !below.has(id)) return;
      const newer = await item(id);
      queries.setQueryData<InfiniteData<ListPage<Item>>>(queryKey, (known) =>
        newer ? withItem(known, newer, idOf) : withoutItem(known, id, idOf),
      );
    }),
  );
}

/** Wait for a query, if it is loading. */
function settled(queries: QueryClient, queryKey: QueryKey): Promise<void> {
  const isSettled = () => queries.isFetching({ queryKey, exact: true }) === 0;
  if (isSettled()) return Promise.resolve();
  return new Promise((done) => {
    const stop = queries.getQueryCache().subscribe(() => {
      if (!isSettled()) return;
      stop();
      done();
    });
  });
}
