import type { UnixNano } from "@/lib/time";

/** The part of a span that a feed needs to order spans and to tell newer versions from older ones. */
export interface FeedSpan {
  seq: number;
  trace_id: string;
  span_id: string;
  start_time_unix_nano: UnixNano;
}

/** Where to load the spans before the last row from. */
export interface Reach {
  /** The cursor of the next page; null starts over below `until`. */
  cursor: string | null;
  /** Load only spans that began before this time, if rows were dropped; null for no bound. */
  until: UnixNano | null;
}

/** Spans as they happen: the shown ones, newest first, and those that wait while the list is held. */
export interface Feed<T extends FeedSpan> {
  rows: readonly T[];
  /** New spans that are not shown yet. */
  waiting: readonly T[];
  /** More than `MOST` spans waited: the list has to be reloaded. */
  overflow: boolean;
  /** Null if there is nothing older. */
  reach: Reach | null;
}

/** The maximum number of rows, and of waiting spans. */
export const MOST = 5000;

/** An empty feed with nothing older. */
export const NO_FEED: Feed<never> = { rows: [], waiting: [], overflow: false, reach: null };

/** The identity of a span: a span id alone can occur twice. */
export function feedKey(span: FeedSpan): string {
  const known = KEYS.get(span);
  if (known !== undefined) return known;
  const key = `${span.trace_id}${span.span_id}`;
  KEYS.set(span, key);
  return key;
}

// Thousands of rows are looked up with each batch; joining the ids each time would cost more than all the rest.
const KEYS = new WeakMap<FeedSpan, string>();

/** Start with the newest page. */
export function begun<T extends FeedSpan>(page: readonly T[], cursor: string | null): Feed<T> {
  return {
    rows: merged([], page),
    waiting: [],
    overflow: false,
    reach: cursor === null ? null : { cursor, until: null },
  };
}

/**
 * Add spans that just happened or changed.
 *
 * Rows that are shown are always updated in place; new ones go on top, or wait while the list is held. A span that no
 * longer `fits` leaves the list. One older than the oldest row is skipped: it will be loaded with its neighbours.
 */
export function arrived<T extends FeedSpan>(
  feed: Feed<T>,
  spans: readonly T[],
  held: boolean,
  fits: (span: T) => boolean = () => true,
): Feed<T> {
  const news = lastWords(spans);
  const rows = renewed(feed.rows, news, fits);
  const waiting = renewed(feed.waiting, news, fits);
  const edge = feed.reach && feed.rows.at(-1);
  const fresh = [...news.values()].filter((span) => fits(span) && !(edge && newestFirst(span, edge) > 0));
  if (fresh.length === 0) return { ...feed, rows, waiting };
  if (!held) return capped({ ...feed, rows: merged(rows, fresh), waiting });
  if (feed.overflow) return { ...feed, rows };
  const all = merged(waiting, fresh);
  return all.length > MOST ? { ...feed, rows, waiting: [], overflow: true } : { ...feed, rows, waiting: all };
}

/** Show the waiting spans. */
export function released<T extends FeedSpan>(feed: Feed<T>): Feed<T> {
  if (feed.waiting.length === 0) return feed;
  return capped({ ...feed, rows: merged(feed.rows, feed.waiting), waiting: [] });
}

/** Put an older page below the rows. */
export function extended<T extends FeedSpan>(feed: Feed<T>, page: readonly T[], cursor: string | null): Feed<T> {
  const reach = cursor === null ? null : { cursor, until: feed.reach?.until ?? null };
  return { ...feed, rows: merged(feed.rows, page), reach };
}

/** The order of a feed: by start, newest first; spans with the same start by their keys. */
export function newestFirst(a: FeedSpan, b: FeedSpan): number {
  const [x, y] = [a.start_time_unix_nano, b.start_time_unix_nano];
  // Decimal strings without leading zeros: the longer one is larger.
  if (x.length !== y.length) return y.length - x.length;
  if (x !== y) return x < y ? 1 : -1;
  const [first, second] = [feedKey(a), feedKey(b)];
  return first === second ? 0 : first < second ? 1 : -1;
}

function lastWords<T extends FeedSpan>(spans: readonly T[]): Map<string, T> {
  const last = new Map<string, T>();
  for (const span of spans) {
    const key = feedKey(span);
    if ((last.get(key)?.seq ?? -1) < span.seq) last.set(key, span);
  }
  return last;
}

/** The rows in their latest versions, which are removed from `news`. */
function renewed<T extends FeedSpan>(rows: readonly T[], news: Map<string, T>, fits: (span: T) => boolean) {
  let touched = false;
  const next = rows.map((row) => {
    const key = feedKey(row);
    const word = news.get(key);
    if (!word) return row;
    news.delete(key);
    if (word.seq <= row.seq) return row;
    touched = true;
    return word;
  });
  return touched ? next.filter(fits) : rows;
}

/** Two lists merged in order; of a span in both, the later version counts. */
function merged<T extends FeedSpan>(rows: readonly T[], more: readonly T[]): T[] {
  const news = lastWords(more);
  const kept = renewed(rows, news, () => true);
  const fresh = [...news.values()].sort(newestFirst);
  const all: T[] = [];
  let at = 0;
  for (const row of kept) {
    for (let next = fresh[at]; next && newestFirst(next, row) < 0; next = fresh[++at]) all.push(next);
    all.push(row);
  }
  return all.concat(fresh.slice(at));
}

function capped<T extends FeedSpan>(feed: Feed<T>): Feed<T> {
  if (feed.rows.length <= MOST) return feed;
  const rows = feed.rows.slice(0, MOST);
  const last = rows.at(-1);
  // Includes the last row's own start: other spans may have begun in the same nanosecond.
  const until = last ? String(BigInt(last.start_time_unix_nano) + 1n) : null;
  return { ...feed, rows, reach: { cursor: null, until } };
}
