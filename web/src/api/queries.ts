import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { type Filter, queryOf } from "@/lib/filter";
import { INFERRED } from "@/lib/inferred";
import { ExactNumber, parseJson } from "@/lib/json";
import { laneOf } from "@/lib/lane";
import type { OfferedTool } from "@/lib/messages";
import {
  client,
  type FullEvent,
  type GroupBy,
  isNotFound,
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

/** The queries of the application, except for lists. Keys begin with the noun, so a change can refresh all of it. */

// Filters are built from the address; the contract's query types would list every name a second time.
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

/** How many traces of a session may have begun before somebody asked something. */
const BEFORE_A_QUESTION = 5;

/** What a session began with; null if nothing is known yet. */
export function firstQuestionQuery(sessionId: string) {
  return queryOptions({
    queryKey: ["session", sessionId, "first-question"],
    queryFn: async ({ signal }) => {
      const query = { session_id: sessionId, order: "asc", limit: BEFORE_A_QUESTION } as const;
      const { items } = await unwrap(client.GET("/traces", { params: { query }, signal }));
      return items.find(({ question }) => question !== null)?.question ?? null;
    },
    staleTime: ({ state }) => (state.data ? Number.POSITIVE_INFINITY : 0),
    enabled: isParameter(sessionId),
  });
}

/** Whether the API takes a recorded text as a parameter (`Text` in openapi.yaml). */
function isParameter(text: string): boolean {
  return text !== "" && text.length <= 1024 && !text.includes("\0");
}

/** The first few events of a sorted list, such as the slowest or the most expensive. */
export function topEventsQuery({ filter, sort, order }: Listing, limit: number) {
  return queryOptions({
    queryKey: ["events", "top", filter, sort, order, limit],
    queryFn: ({ signal }) => {
      const query: Query = { ...queryOf(filter, Date.now()), sort, order, limit };
      return unwrap(client.GET("/events", { params: { query }, signal }));
    },
  });
}

/** The first few runs of a sorted list, without their timelines. */
export function topRunsQuery({ filter, sort, order }: Listing, limit: number) {
  return queryOptions({
    queryKey: ["runs", "top", filter, sort, order, limit],
    queryFn: ({ signal }) => {
      const query: Query = { ...queryOf(filter, Date.now()), sort, order, limit };
      return unwrap(client.GET("/runs", { params: { query }, signal }));
    },
  });
}

/** A span by its id, without its input; the trace id decides between two spans with the same id. */
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

/** Values longer than this are left out of an event until they are requested. */
export const CLIP = 200_000;

const FULL_KEPT_MS = 10_000;

/** One event in full; with `whole`, including the values longer than `CLIP`. */
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
    // Sharing would copy objects key by key, and recorded keys can be anything.
    structuralSharing: false,
    // Model calls repeat their history: stepping through them would keep hundreds of megabytes.
    gcTime: FULL_KEPT_MS,
  });
}

/** Parsed with every digit; figures of the event itself are plain numbers. */
function exactEvent(text: string): FullEvent {
  const event = parseJson(text) as Record<string, unknown>;
  for (const [key, value] of Object.entries(event)) if (value instanceof ExactNumber) event[key] = Number(value.text);
  return event as unknown as FullEvent;
}

/** One window of a trace's structure; null asks for the first. */
export async function outlinePage(traceId: string, cursor: string | null, signal: AbortSignal): Promise<TraceOutline> {
  return unwrap(
    client.GET("/traces/{trace_id}/outline", {
      // A small first window to show something soon, then large ones: each is laid out together with all before it.
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

/** The turns of a run, or of one of its traces, for this number of ended model calls; null if it is not known yet. */
export function turnsQuery(runId: string | null, traceId: string | null, ended: number | null) {
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
    enabled: runId !== null && ended !== 0,
    placeholderData: keepPreviousData,
  });
}

/** The spans of a trace or a run that contain a text, and where; `first`: the first ones in the full-text index. */
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

/** The first window of a trace around a single span; loaded again for each change of that span. */
export function traceStartQuery(traceId: string, seq: number) {
  return queryOptions({
    queryKey: ["outline", traceId, seq],
    queryFn: ({ signal }) => outlinePage(traceId, null, signal),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
}

/** One trace, or a run. */
export type Place = { traceId: string } | { runId: string };

export interface Figures {
  filter: Filter;
  by?: GroupBy;
  buckets?: number;
  /** Whether to count single events or whole runs. */
  of?: "events" | "runs";
}

// A browser has six connections to a server: figures, which take the server long, must leave most of them free.
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

/** How much is stored, the retention rules, and what they remove next. */
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

/** The current summary of a run; null if it was deleted. */
export function runSummary(runId: string): Promise<Run | null> {
  const asked = client.GET("/runs/{run_id}", { params: { path: { run_id: runId }, query: { limit: 1 } } });
  return ifThere(unwrap(asked).then(({ run }) => run));
}

/** The current summary of a session; null if it was deleted. */
export function sessionSummary(sessionId: string): Promise<Session | null> {
  const asked = client.GET("/session", { params: { query: { session_id: sessionId, limit: 1 } } });
  return ifThere(unwrap(asked).then(({ session }) => session));
}

/** The current summary of a trace; null if it was deleted. */
export function traceSummary(traceId: string): Promise<Trace | null> {
  const asked = client.GET("/traces/{trace_id}", { params: { path: { trace_id: traceId }, query: { limit: 1 } } });
  return ifThere(unwrap(asked).then(({ trace }) => trace));
}

async function ifThere<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}

/** Delete a trace. */
export async function deleteTrace(traceId: string): Promise<void> {
  await unwrap(client.DELETE("/traces/{trace_id}", { params: { path: { trace_id: traceId } } }));
}

/** Delete a run and its traces; `keepalive`: even if the page is closed before the answer comes. */
export async function deleteRun(runId: string, keepalive = false): Promise<void> {
  await unwrap(client.DELETE("/runs/{run_id}", { params: { path: { run_id: runId } }, keepalive }));
}

/** Delete a session and its traces. */
export async function deleteSession(sessionId: string): Promise<void> {
  await unwrap(client.DELETE("/session", { params: { query: { session_id: sessionId } } }));
}

/** The input and output of some calls of a run, one line each; at most 200 calls. */
export async function previewsOf(runId: string, spanIds: readonly string[], signal: AbortSignal): Promise<Preview[]> {
  const params = { path: { run_id: runId }, query: { span_id: [...spanIds] } };
  return (await unwrap(client.GET("/runs/{run_id}/previews", { params, signal }))).items;
}

/** The same of calls of any runs: of all these spans in all these traces; at most 200 of each. */
export async function eventPreviews(
  traceIds: readonly string[],
  spanIds: readonly string[],
  signal: AbortSignal,
): Promise<Preview[]> {
  const query = { trace_id: [...traceIds], span_id: [...spanIds] };
  return (await unwrap(client.GET("/events/previews", { params: { query }, signal }))).items;
}

/** A tool as last declared, and the span that declares it. */
export interface Declared {
  tool: OfferedTool;
  event: FullEvent;
}

/** Other names are not requested: they would not fit into an address, or could not be searched for. */
const TOOL_NAME = /^[\p{L}\p{N}_.:/ -]{1,200}$/u;
// The latest call that names a tool need not have declared it.
const CALLS_TO_ASK = 3;

/** The latest declaration of a tool in any run: by its MCP server's list, or else by a model call that offered it. */
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
