import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useEffectEvent, useReducer, useRef, useState } from "react";
import type { SpanEvent } from "@/api/client";
import { useConnection } from "@/api/connection";
import { eventsPageQuery } from "@/api/lists";
import { onDeletion } from "@/api/other-windows";
import { readinessQuery } from "@/api/queries";
import { useStream } from "@/api/stream";
import type { Filter } from "@/lib/filter";
import type { More } from "@/ui/virtual-grid";
import type { EventList } from "./event-list";
import { arrived, begun, extended, type Feed, feedKey, NO_FEED, type Reach, released } from "./feed";
import { liveFilter } from "./live-filter";
import { Rate } from "./rate";

/** Spans that arrive within this time are shown together; after a large batch, which nobody can read, a longer time. */
const TOGETHER_MS = 50;
const MANY = 8;
const MANY_TOGETHER_MS = 120;
/** The minimum time between two reloads of the list. */
const ANEW_MS = 1000;

type Step =
  | { type: "begun"; items: readonly SpanEvent[]; cursor: string | null }
  | { type: "arrived"; spans: readonly SpanEvent[]; held: boolean; fits: (span: SpanEvent) => boolean }
  | { type: "extended"; reach: Reach; items: readonly SpanEvent[]; cursor: string | null }
  | { type: "overflow" }
  | { type: "released" };

function stepped(feed: Feed<SpanEvent>, step: Step): Feed<SpanEvent> {
  switch (step.type) {
    case "begun":
      return begun(step.items, step.cursor);
    case "arrived":
      return arrived(feed, step.spans, step.held, step.fits);
    case "extended":
      // If rows were dropped in the meantime, the page would leave a gap.
      return feed.reach === step.reach ? extended(feed, step.items, step.cursor) : feed;
    case "overflow":
      return { ...feed, waiting: [], overflow: true };
    case "released":
      return released(feed);
  }
}

export interface LiveEvents extends EventList {
  /** The number of new spans that wait to be shown. */
  waiting: number;
  /** More spans wait than are kept: the list reloads when it resumes. */
  overflow: boolean;
  /** The recent rate of new spans; changes of known spans do not count. */
  rate: Rate;
}

/** The events that match a filter, newest first, live; while `held`, new ones wait. */
export function useLiveEvents(filter: Filter, held: boolean): LiveEvents {
  const key = JSON.stringify(filter);
  const [feed, step] = useReducer(stepped, NO_FEED);
  const start = useStart(key, step);
  const [rate] = useState(() => new Rate());
  const firstHeard = useFirstHeard();
  const { streamed, fits } = liveFilter(filter);
  const take = useTogether(key, (spans) => {
    rate.add(firstHeard(spans), Date.now());
    step({ type: "arrived", spans, held, fits });
  });
  useStream(streamed, start.after, {
    onSpans: take,
    onGap: () => (held ? step({ type: "overflow" }) : start.again()),
  });

  // The stream does not say what was deleted: the list is loaded again, once nobody reads it.
  const outdated = useRef(false);
  const release = useEffectEvent(() => {
    if (feed.overflow || outdated.current) start.again();
    else step({ type: "released" });
    outdated.current = false;
  });
  useEffect(() => {
    if (!held) release();
  }, [held]);
  const onDeleted = useEffectEvent(() => {
    outdated.current = held;
    if (!held) start.again();
  });
  useEffect(() => onDeletion(() => onDeleted()), []);

  return {
    rows: feed.rows,
    loading: start.after === undefined,
    error: start.error,
    retry: start.again,
    waiting: feed.waiting.length,
    overflow: feed.overflow,
    rate,
    notice: start.notice,
    ...useOlder(filter, feed, start.nowMs, step),
  };
}

interface Start {
  key: string;
  after?: number;
  error?: Error;
  notice?: string | undefined;
  /** The time from which relative times of the filter count back. */
  nowMs: number;
}

/** Loads the newest page of a filter, and the position from which the stream misses no change of it. */
function useStart(key: string, step: (step: Step) => void) {
  const queries = useQueryClient();
  const [start, setStart] = useState<Start>({ key, nowMs: 0 });
  const [attempt, setAttempt] = useState(0);
  const again = useCallback(() => setAttempt((before) => before + 1), []);
  const begunMs = useRef(0);

  useEffect(() => {
    const filter: Filter = JSON.parse(key);
    let here = true;

    async function load() {
      const nowMs = Date.now();
      begunMs.current = nowMs;
      try {
        // Get the position first: the stream then sends every later change, some perhaps a second time after the page.
        const ready = await queries.fetchQuery({ ...readinessQuery, staleTime: 0 }).catch(() => null);
        const page = await queries.fetchQuery(eventsPageQuery(filter, nowMs, null));
        if (!here) return;
        // A search does not see beyond the index.
        const reached = ready ? ready.seq - (filter.q === undefined ? 0 : ready.search_behind) : 0;
        step({ type: "begun", items: page.items, cursor: page.next_cursor });
        setStart({
          key,
          nowMs,
          notice: page.notice,
          after: page.items.reduce((last, { seq }) => Math.max(last, seq), reached),
        });
      } catch (error) {
        if (here) setStart({ key, nowMs, error: error as Error });
      }
    }
    const timer = window.setTimeout(load, attempt === 0 ? 0 : begunMs.current + ANEW_MS - Date.now());
    return () => {
      here = false;
      window.clearTimeout(timer);
    };
  }, [queries, key, attempt, step]);

  const failed = start.key === key && start.error !== undefined;
  const connection = useConnection();
  useEffect(() => {
    if (failed && connection === "fine") again();
  }, [failed, connection, again]);

  const current = start.key === key;
  return {
    after: current ? start.after : undefined,
    error: (current && start.error) || null,
    nowMs: start.nowMs,
    notice: current ? start.notice : undefined,
    again,
  };
}

/** Loads the page after the last row. */
function useOlder(filter: Filter, feed: Feed<SpanEvent>, nowMs: number, step: (step: Step) => void) {
  const queries = useQueryClient();
  // The state belongs to the list that requested the page: another filter, or a reloaded list, has its own.
  const [asked, setAsked] = useState<{ reach: Reach | null; older: More }>({ reach: null, older: "none" });
  const older = asked.reach === feed.reach ? asked.older : "there";

  async function loadOlder() {
    const { reach } = feed;
    if (!reach || older === "coming") return;
    const settle = (state: More) => setAsked((before) => (before.reach === reach ? { reach, older: state } : before));
    setAsked({ reach, older: "coming" });
    try {
      const wanted = reach.until === null ? filter : { ...filter, until: reach.until };
      const page = await queries.fetchQuery(eventsPageQuery(wanted, nowMs, reach.cursor));
      step({ type: "extended", reach, items: page.items, cursor: page.next_cursor });
      settle("there");
    } catch (error) {
      settle(error as Error);
    }
  }
  return { older, loadOlder };
}

/** Passes spans on at once after a pause, else in batches; drops the pending ones when `scope` changes. */
function useTogether(scope: string, hand: (spans: SpanEvent[]) => void): (spans: SpanEvent[]) => void {
  const pending = useRef<SpanEvent[]>([]);
  const timer = useRef(0);
  const pass = useEffectEvent(hand);
  // biome-ignore lint/correctness/useExhaustiveDependencies: pending spans belong to the scope
  useEffect(
    () => () => {
      window.clearTimeout(timer.current);
      timer.current = 0;
      pending.current = [];
    },
    [scope],
  );

  return (spans) => {
    pending.current.push(...spans);
    if (timer.current) return;
    const flush = () => {
      const batch = pending.current;
      pending.current = [];
      const pause = batch.length > MANY ? MANY_TOGETHER_MS : TOGETHER_MS;
      timer.current = batch.length ? window.setTimeout(flush, pause) : 0;
      if (batch.length) pass(batch);
    };
    flush();
  };
}

/** Counts the spans of a batch that are new. */
function useFirstHeard(): (spans: readonly SpanEvent[]) => number {
  const heard = useRef(new Set<string>());
  return (spans) => {
    if (heard.current.size > 20_000) heard.current.clear();
    const before = heard.current.size;
    for (const span of spans) heard.current.add(feedKey(span));
    return heard.current.size - before;
  };
}
