import { useEffect, useEffectEvent } from "react";
import { stringifySearch } from "@/lib/address";
import { type Filter, queryOf } from "@/lib/filter";
import { BASE, type SpanEvent } from "./client";
import { isAway, isThere, onReturn, setConnection } from "./connection";

/** The messages of a live stream. Spans come in batches since the last frame, in order of change. */
export interface Listener {
  onSpans: (spans: SpanEvent[]) => void;
  /** Changes were skipped: everything that is shown has to be loaded again. */
  onGap: () => void;
}

/** The maximum number of spans in a batch: a longer backlog is a gap. */
const MOST_BATCH = 5000;
/** The maximum time between two attempts to get a stream that is refused. */
const LONGEST_PAUSE_MS = 30_000;

/**
 * Follow the spans of a scope from a change on, until the returned function is called: the only source of live changes.
 *
 * The stream rests while the page is hidden (a browser has six connections to a server, for all its tabs together) and
 * while the server is away, and resumes where it stopped.
 *
 * @param scope Which spans; it must not depend on what may change in them, or the change would not be sent.
 * @param after The change to begin after.
 */
export function follow(scope: Filter, after: number, listener: Listener): () => void {
  let source: EventSource | null = null;
  let last = after;
  let pending: SpanEvent[] = [];
  let scheduled = 0;
  let stopped = false;
  let timer = 0;
  let refusals = 0;

  function flush() {
    scheduled = 0;
    const batch = pending;
    pending = [];
    if (batch.length) listener.onSpans(batch);
  }

  function take(message: MessageEvent<string>) {
    last = Number(message.lastEventId);
    pending.push(JSON.parse(message.data) as SpanEvent);
    if (pending.length > MOST_BATCH) {
      pending = [];
      listener.onGap();
    } else if (!scheduled) {
      scheduled = requestAnimationFrame(flush);
    }
  }

  function skip(message: MessageEvent<string>) {
    last = Number(message.lastEventId);
    pending = [];
    listener.onGap();
  }

  function open() {
    window.clearTimeout(timer);
    if (source || document.hidden || isAway()) return;
    source = new EventSource(`${BASE}events/stream${stringifySearch({ ...queryOf(scope, Date.now()), after: last })}`);
    source.addEventListener("open", () => {
      setConnection("fine");
      refusals = 0;
    });
    source.addEventListener("span", take);
    source.addEventListener("gap", skip);
    source.addEventListener("error", () => {
      // A browser would try again by itself, but not after each kind of error. Ask once whether there is a server.
      close();
      void reopen();
    });
  }

  async function reopen() {
    const there = await isThere();
    // If the server is away, `onReturn` opens the stream.
    if (stopped || source || !there) return;
    // The first refusal can come from a server that was just starting; at the second it has no stream to give.
    if (refusals > 0) setConnection("crowded");
    window.clearTimeout(timer);
    timer = window.setTimeout(open, Math.min(LONGEST_PAUSE_MS, 1000 * 2 ** refusals));
    refusals += 1;
  }

  function close() {
    source?.close();
    source = null;
  }

  function turn() {
    if (document.hidden) close();
    else open();
  }

  open();
  document.addEventListener("visibilitychange", turn);
  const stopWaiting = onReturn(open);
  return () => {
    document.removeEventListener("visibilitychange", turn);
    stopWaiting();
    stopped = true;
    window.clearTimeout(timer);
    cancelAnimationFrame(scheduled);
    close();
  };
}

/** `follow` while a component is mounted; another scope or position starts over, and undefined waits. */
export function useStream(scope: Filter, after: number | undefined, listener: Listener): void {
  const onSpans = useEffectEvent(listener.onSpans);
  const onGap = useEffectEvent(listener.onGap);
  const key = JSON.stringify(scope);
  useEffect(() => {
    if (after === undefined) return;
    return follow(JSON.parse(key), after, { onSpans: (spans) => onSpans(spans), onGap: () => onGap() });
  }, [key, after]);
}
