import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { type Filter, queryOf } from "@/lib/filter";
import { INFERRED } from "@/lib/inferred";
import { ExactNumber, parseJson } from "@/lib/json";
import { laneOf } from "@/lib/lane";
import type { OfferedTool } from "@/lib/messages";
import {
  ApiError,
  client,
  type FullEvent,
  type GroupBy,
  isReadiness,
  type Preview,
  type Readiness,
  type Run,
  type RunOutline,
  type Session,
  type Trace,
  type TraceOutline,
  type Turn,
  unwrap,
} from "./client";

import { inferredEvent } from "./inferred";
import type { Listing } from "./lists";

/** The queries of the application, those of lists apart. Keys begin with the noun, so that a change can refresh all of a noun. */

// Filters are made of what the address holds; the contract's query types would list every name a second time.
// biome-ignore lint/suspicious/noExplicitAny: the server checks each parameter and names the one it refuses
type Query = any;

export function sessionQuery(sessionId: string) {
  return queryOptions({
    queryKey: ["session", sessionId],
    queryFn: ({ signal }) =>
      unwrap(
        // Not by path: a browser takes `.` and `..` out of it.
        client.GET("/session", { params: { query: { session_id: sessionId, limit: 1 } }, signal }),
      ),
  });
}

/** The few events at the top of a sorted list, such as the slowest or the most expensive. */
export function topEventsQuery({ filter, sort, order }: Listing, limit: number) {
  return queryOptions({
    queryKey: ["events", "top", filter, sort, order, limit],
    queryFn: ({ signal }) => {
      const query: Query = { ...queryOf(filter, Date.now()), sort, order, limit };
      return unwrap(client.GET("/events", { params: { query }, signal }));
    },
  });
}

/** The few runs at the top of a sorted list; without sketches of their time. */
export function topRunsQuery({ filter, sort, order }: Listing, limit: number) {
  return queryOptions({
    queryKey: ["runs", "top", filter, sort, order, limit],
    queryFn: ({ signal }) => {
      const query: Query = { ...queryOf(filter, Date.now()), sort, order, limit };
      return unwrap(client.GET("/runs", { params: { query }, signal }));
    },
  });
}

/** A span by its id alone, without what it was given; a trace id decides between two spans of one id. */
export function spanByIdQuery(spanId: string, traceId: string | null) {
  return queryOptions({
    queryKey: ["event", "by-id", traceId, spanId],
    queryFn: ({ signal }) =>
      unwrap(
        client.GET("/events/{span_id}", {
          params: { path: { span_id: spanId }, query: { clip: 1, ...(traceId && { trace_id: traceId }) } },
          signal,
        }),
      ),
  });
}

/** Values longer than this are left out of an event until they are asked for. */
export const CLIP = 200_000;

const FULL_KEPT_MS = 10_000;

/** One event in full; with `whole` also the values that are larger than `CLIP`. */
export function eventQuery(spanId: string, traceId: string, whole = false) {
  return queryOptions({
    queryKey: ["event", traceId, spanId, whole],
    queryFn: ({ signal, client: queries }): Promise<FullEvent> => {
      if (traceId === INFERRED) return inferredEvent(queries, spanId);
      return unwrap(
        client.GET("/events/{span_id}", {
          params: {
            path: { span_id: spanId },
            query: { trace_id: traceId, messages: true, ...(!whole && { clip: CLIP }) },
          },
          parseAs: "text",
          signal,
        }),
      ).then(exactEvent);
    },
    // Sharing would copy objects key by key, and recorded keys are anything.
    structuralSharing: false,
    // Model calls repeat their history: what was stepped through would hold on to a hundred megabytes.
    gcTime: FULL_KEPT_MS,
  });
}

/** Read with every digit; figures of the event itself are plain numbers. */
function exactEvent(text: string): FullEvent {
  const event = parseJson(text) as Record<string, unknown>;
  for (const [key, value] of Object.entries(event)) if (value instanceof ExactNumber) event[key] = Number(value.text);
  return event as unknown as FullEvent;
}

/** One window of a trace's structure; null asks for the first. */
export async function outlinePage(traceId: string, cursor: string | null, signal: AbortSignal): Promise<TraceOutline> {
  return unwrap(
    client.GET("/traces/{trace_id}/outline", {
      // A first window soon, then few: each one is laid out anew with all before it.
      params: { path: { trace_id: traceId }, query: { ...(cursor && { cursor, limit: 50_000 }) } },
      signal,
    }),
  );
}

/** One window of the structure of all traces of a run; null asks for the first. */
export async function runOutlinePage(runId: string, cursor: string | null, signal: AbortSignal): Promise<RunOutline> {
  return unwrap(
    client.GET("/runs/{run_id}/outline", {
      params: { path: { run_id: runId }, query: { ...(cursor && { cursor, limit: 50_000 }) } },
      signal,
    }),
  );
}

const TURNS = 1000;

/** The turns of a run, or of one trace of it, as of so many ended model calls. */
export function turnsQuery(runId: string | null, traceId: string | null, ended: number) {
  return queryOptions({
    queryKey: ["turns", runId, traceId, ended],
    queryFn: async ({ signal }): Promise<Turn[]> => {
      const turns: Turn[] = [];
      let cursor: string | null = null;
      do {
        const query: Query = { limit: TURNS, ...(traceId && { trace_id: traceId }), ...(cursor && { cursor }) };
        const path = { run_id: runId ?? "" };
        const page = await unwrap(client.GET("/runs/{run_id}/turns", { params: { path, query }, signal }));
        turns.push(...page.items);
        cursor = page.next_cursor;
      } while (cursor !== null);
      return turns;
    },
    enabled: runId !== null && ended > 0,
    placeholderData: keepPreviousData,
  });
}

/** The spans of a trace or a run that hold words, and where; `first`: the first of them, of what full text knows. */
export function hitsQuery(place: Place, q: string, first = false) {
  const query = { q, ...(first ? { limit: 1, attributes: false } : { limit: 1000 }) };
  return queryOptions({
    queryKey: ["hits", place, q, first],
    queryFn: ({ signal }) =>
      unwrap(
        "traceId" in place
          ? client.GET("/traces/{trace_id}/hits", { params: { path: { trace_id: place.traceId }, query }, signal })
          : client.GET("/runs/{run_id}/hits", { params: { path: { run_id: place.runId }, query }, signal }),
      ),
    staleTime: 2000,
  });
}

/** The first window of a trace around a span that is looked at alone, as of a change of that span. */
export function traceStartQuery(traceId: string, seq: number) {
  return queryOptions({
    queryKey: ["outline", traceId, seq],
    queryFn: ({ signal }) => outlinePage(traceId, null, signal),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
}

/** What is looked at: one trace, or a run. */
export type Place = { traceId: string } | { runId: string };

export interface Figures {
  filter: Filter;
  by?: GroupBy;
  buckets?: number;
  /** Whether single events are counted or whole runs. */
  of?: "events" | "runs";
}

// A browser has six connections to a server: figures, which take the server long to count, leave most of them free.
const counting = laneOf(2);

export function statsQuery({ filter, by, buckets, of }: Figures) {
  return queryOptions({
    queryKey: ["stats", filter, by, buckets, of],
    queryFn: ({ signal }) => {
      const query: Query = { ...queryOf(filter, Date.now()), by, buckets, of };
      return counting(() => unwrap(client.GET("/stats", { params: { query }, signal })), signal);
    },
  });
}

function troubleIn({ error, response }: { error?: unknown; response: Response }): Readiness | undefined {
  return response.status === 503 && isReadiness(error) ? error : undefined;
}

/** How much is kept, by which rule, and what is removed next. */
export const storageQuery = queryOptions({
  queryKey: ["storage"],
  queryFn: ({ signal }) => unwrap(client.GET("/storage", { signal })),
  staleTime: 10_000,
});

export const readinessQuery = queryOptions({
  queryKey: ["readiness"],
  queryFn: ({ signal }): Promise<Readiness> => {
    const asked = client.GET("/readyz", { signal });
    // A server that is not ready says so with the same figures.
    return unwrap<Readiness>(asked.then((answer) => ({ ...answer, data: answer.data ?? troubleIn(answer) })));
  },
});

/** A run summed up as it is now; null once it was deleted. */
export function runSummary(runId: string): Promise<Run | null> {
  const asked = client.GET("/runs/{run_id}", { params: { path: { run_id: runId }, query: { limit: 1 } } });
  return ifThere(unwrap(asked).then(({ run }) => run));
}

/** A session summed up as it is now; null once it was deleted. */
export function sessionSummary(sessionId: string): Promise<Session | null> {
  const asked = client.GET("/session", { params: { query: { session_id: sessionId, limit: 1 } } });
  return ifThere(unwrap(asked).then(({ session }) => session));
}

/** A trace summed up as it is now; null once it was deleted. */
export function traceSummary(traceId: string): Promise<Trace | null> {
  const asked = client.GET("/traces/{trace_id}", { params: { path: { trace_id: traceId }, query: { limit: 1 } } });
  return ifThere(unwrap(asked).then(({ trace }) => trace));
}

async function ifThere<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

/** Remove a trace for good. */
export async function deleteTrace(traceId: string): Promise<void> {
  await unwrap(client.DELETE("/traces/{trace_id}", { params: { path: { trace_id: traceId } } }));
}

/** Remove a run and its traces for good; `keepalive`: also where the page goes before the answer comes. */
export async function deleteRun(runId: string, keepalive = false): Promise<void> {
  await unwrap(client.DELETE("/runs/{run_id}", { params: { path: { run_id: runId } }, keepalive }));
}

/** Remove a session and its traces for good. */
export async function deleteSession(sessionId: string): Promise<void> {
  await unwrap(client.DELETE("/session", { params: { query: { session_id: sessionId } } }));
}

/** What some calls of a run were given and gave, a line each; at most 200 of them. */
export async function previewsOf(runId: string, spanIds: readonly string[], signal?: AbortSignal): Promise<Preview[]> {
  const query = { span_id: [...spanIds] };
  const asked = client.GET("/runs/{run_id}/previews", {
    params: { path: { run_id: runId }, query },
    ...(signal && { signal }),
  });
  return (await unwrap(asked)).items;
}

/** A tool as it was last declared, and the span that says so. */
export interface Declared {
  tool: OfferedTool;
  event: FullEvent;
}

/** Other names are not asked for: they would not fit into an address, or could not be searched for. */
const TOOL_NAME = /^[\p{L}\p{N}_.:/ -]{1,200}$/u;
// The latest call that names a tool need not have declared it.
const CALLS_TO_ASK = 3;

/** How whatever run declared a tool last: the latest list of its MCP server, else the latest model call that asked for it. */
export function declaredToolQuery(name: string) {
  return queryOptions({
    queryKey: ["declared tool", name],
    queryFn: async ({ signal }): Promise<Declared | null> => {
      if (!TOOL_NAME.test(name)) return null;
      const q = `"${name}"`;
      const listed = { kind: ["rpc"], name_prefix: "tools/list", limit: 1 };
      const offered = { kind: ["llm"], limit: CALLS_TO_ASK };
      for (const where of [listed, offered]) {
        const query: Query = { ...where, q };
        const page = await unwrap(client.GET("/events", { params: { query }, signal }));
        for (const { span_id, trace_id } of page.items) {
          const params = { path: { span_id }, query: { trace_id, messages: true } };
          const event = await unwrap(client.GET("/events/{span_id}", { params, signal }));
          const tool = event.messages?.tools.find((each) => each.name === name);
          if (tool) return { tool, event };
        }
      }
      return null;
    },
    staleTime: 60_000,
  });
}
