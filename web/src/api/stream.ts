import { useEffect, useEffectEvent } from "react";
import { stringifySearch } from "@/lib/address";
import { type Filter, queryOf } from "@/lib/filter";
import { BASE, isReadiness, type SpanEvent } from "./client";
import { setConnection } from "./connection";

/** What a live stream tells. Spans come in batches of what arrived since the last frame, in order of change. */
export interface Listener {
  onSpans: (spans: SpanEvent[]) => void;
  /** Something between two moments was skipped: whatever is shown has to be asked for again. */
  onGap: () => void;
}

/** At most that many spans a batch: a longer backlog is a gap. */
const MOST_BATCH = 5000;
/** How long to wait at most between two tries to get a stream that is refused. */
const LONGEST_PAUSE_MS = 30_000;

/**
 * Follow the events that match a filter until the returned function is called.
 *
 * The stream rests while the page is hidden (a browser has six connections to a server, for all its tabs together) and
 * resumes where it stopped; after a lost connection it does the same.
 *
 * @param after The change to begin after; null begins with what happens from now on.
 */
export function follow(filter: Filter, after: number | null, listener: Listener): () => void {
  let source: EventSource | null = null;
  let last = after;
  let pending: SpanEvent[] = [];
  let scheduled = 0;
  let opened = false;
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
    if (source || document.hidden) return;
    const query = { ...queryOf(filter, Date.now()), ...(last !== null && { after: last }) };
    source = new EventSource(`${BASE}events/stream${stringifySearch(query)}`);
    source.addEventListener("open", () => {
      setConnection("fine");
      refusals = 0;
      // Nothing had arrived yet, so there is no place to resume from: what happened meanwhile is unknown.
      if (opened && last === null) listener.onGap();
      opened = true;
    });
    source.addEventListener("span", take);
    source.addEventListener("gap", skip);
    source.addEventListener("error", () => {
      // A browser reconnects by itself, except after an answer that is no stream.
      if (source?.readyState !== EventSource.CLOSED) {
        setConnection("lost");
        return;
      }
      close();
      window.clearTimeout(timer);
      timer = window.setTimeout(reopen, Math.min(LONGEST_PAUSE_MS, 1000 * 2 ** refusals));
      refusals += 1;
    });
  }

  async function reopen() {
    const found = await probe();
    if (stopped) return;
    // Once may be a server that was just starting; again, with a server that is well, it has none to give.
    // A server that says what is wrong with it does answer; what it says is shown apart.
    if (found === "troubled") setConnection("fine");
    else if (found !== "fine") setConnection(found);
    else if (refusals > 1) setConnection("crowded");
    open();
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
  return () => {
    document.removeEventListener("visibilitychange", turn);
    stopped = true;
    window.clearTimeout(timer);
    cancelAnimationFrame(scheduled);
    close();
  };
}

/** `follow` for as long as a component is mounted; a filter or position that changes starts anew. */
export function useStream(filter: Filter, after: number | null | undefined, listener: Listener): void {
  const onSpans = useEffectEvent(listener.onSpans);
  const onGap = useEffectEvent(listener.onGap);
  const key = JSON.stringify(filter);
  useEffect(() => {
    if (after === undefined) return;
    return follow(JSON.parse(key), after, { onSpans: (spans) => onSpans(spans), onGap: () => onGap() });
  }, [key, after]);
}

/** Ask the server how it is; a 503 without its own account, as of a proxy or of a server that ends, is none of its. */
export async function probe(signal?: AbortSignal): Promise<"fine" | "troubled" | "lost" | "signed-out"> {
  try {
    const answer = await fetch(`${BASE}readyz`, { credentials: "same-origin", ...(signal && { signal }) });
    if (answer.ok) return "fine";
    if (answer.status === 503) return isReadiness(await answer.json()) ? "troubled" : "lost";
    return answer.status === 401 || answer.status === 403 ? "signed-out" : "lost";
  } catch {
    return "lost";
  }
}
