import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { type Filter, queryOf } from "@/lib/filter";
import type { ListOrder } from "@/lib/sort";
import { client, unwrap } from "./client";

/** The queries of lists, page by page. */

/** What a list shows: its filter and its order. */
export interface Listing extends Partial<ListOrder> {
  filter: Filter;
}

const PAGE = 100;

// Filters are built from the address; the contract's query types would list every name a second time.
// biome-ignore lint/suspicious/noExplicitAny: the server checks each parameter and names the one it refuses
type Query = any;

/** Where a page of a list begins. A cursor belongs to one filter, so relative times count back from a fixed moment. */
export interface PagePlace {
  /** Null for the first page. */
  cursor: string | null;
  nowMs: number;
}

const FIRST = null as PagePlace | null;

function nextPlace({ next_cursor: cursor, nowMs }: { next_cursor: string | null; nowMs: number }): PagePlace | null {
  return cursor === null ? null : { cursor, nowMs };
}

function begin(): PagePlace {
  return { cursor: null, nowMs: Date.now() };
}

/** One page of runs, each with its timeline. */
export async function runsPage({ filter, sort, order }: Listing, { cursor, nowMs }: PagePlace, signal?: AbortSignal) {
  const query: Query = { ...queryOf(filter, nowMs), sort, order, limit: PAGE, timeline: true };
  if (cursor) query.cursor = cursor;
  const page = await unwrap(client.GET("/runs", { params: { query }, ...(signal && { signal }) }));
  return { ...page, nowMs };
}

export function runsQuery(listing: Listing) {
  return infiniteQueryOptions({
    queryKey: ["runs", listing.filter, listing.sort, listing.order],
    queryFn: ({ pageParam, signal }) => runsPage(listing, pageParam ?? begin(), signal),
    initialPageParam: FIRST,
    getNextPageParam: nextPlace,
  });
}

/** What a list of sessions shows. */
export type SessionListing = Pick<Filter, "since" | "until"> & ListOrder;

/** One page of sessions. */
export async function sessionsPage(
  { since, until, sort, order }: SessionListing,
  { cursor, nowMs }: PagePlace,
  signal?: AbortSignal,
) {
  const filter = { ...(since && { since }), ...(until && { until }) };
  const query: Query = { ...queryOf(filter, nowMs), sort, order, limit: PAGE };
  if (cursor) query.cursor = cursor;
  const page = await unwrap(client.GET("/sessions", { params: { query }, ...(signal && { signal }) }));
  return { ...page, nowMs };
}

export function sessionsQuery(listing: SessionListing) {
  return infiniteQueryOptions({
    queryKey: ["sessions", listing.since, listing.until, listing.sort, listing.order],
    queryFn: ({ pageParam, signal }) => sessionsPage(listing, pageParam ?? begin(), signal),
    initialPageParam: FIRST,
    getNextPageParam: nextPlace,
  });
}

export function eventsQuery({ filter, sort, order }: Listing) {
  return infiniteQueryOptions({
    queryKey: ["events", filter, sort, order],
    queryFn: async ({ pageParam, signal }) => {
      const nowMs = pageParam?.nowMs ?? Date.now();
      const query: Query = { ...queryOf(filter, nowMs), sort, order, limit: PAGE };
      if (pageParam) query.cursor = pageParam.cursor;
      return { ...(await unwrap(client.GET("/events", { params: { query }, signal }))), nowMs };
    },
    initialPageParam: FIRST,
    getNextPageParam: nextPlace,
  });
}

/** One page of events, newest first. Relative times count back from `nowMs`, the same for all pages of a list. */
export function eventsPageQuery(filter: Filter, nowMs: number, cursor: string | null) {
  return queryOptions({
    queryKey: ["events", "page", filter, nowMs, cursor],
    queryFn: ({ signal }) => {
      const query: Query = { ...queryOf(filter, nowMs), limit: PAGE };
      if (cursor) query.cursor = cursor;
      return unwrap(client.GET("/events", { params: { query }, signal }));
    },
    gcTime: 0,
    staleTime: 0,
  });
}
