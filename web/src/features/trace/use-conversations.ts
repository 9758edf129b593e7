import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useLayoutEffect, useMemo } from "react";
import type { FullEvent, Turn } from "@/api/client";
import { provideInferred } from "@/api/inferred";
import { type Place, turnsQuery } from "@/api/queries";
import type { LiveTrace } from "@/api/use-trace";
import { INFERRED } from "@/lib/inferred";
import type { SpanRow } from "@/lib/spans";
import { laterBy, type UnixNano } from "@/lib/time";
import { treeOf } from "@/lib/tree";
import { useSettled } from "@/ui/use-settled";

interface Conversations {
  /** Agents and tools inferred from the messages of model calls; empty if inferred calls are hidden. */
  turns: readonly Turn[];
  /** Whether there are several model calls, none of them with its messages. */
  unknown: boolean;
  /** Whether the first page is still loading. */
  asking: boolean;
}

const NO_TURNS: readonly Turn[] = [];

/** Load the conversations of a page's model calls; those of a run at the same time as its rows. */
export function useConversations(live: LiveTrace, place: Place, hidden: boolean): Conversations {
  const { rows, trace } = live;
  const settled = useSettled(rows);
  const { ended, counting, agents } = useMemo(() => modelCalls(settled), [settled]);
  const runId = live.run?.run_id ?? trace?.run_id ?? null;
  const traceId = "traceId" in place ? place.traceId : null;
  const early = useQuery(turnsQuery(!hidden && "runId" in place ? place.runId : null, null, null));
  const isWhole = useMemo(() => haveAll(early.data ?? NO_TURNS, ended), [early.data, ended]);
  const isEnough = hidden || early.isLoading || isWhole;
  const later = useQuery(turnsQuery(isEnough ? null : runId, traceId, ended.length));
  const turns = isWhole ? early.data : (later.data ?? early.data);
  const unknown = turns?.length === 0 && counting > 1 && !agents;
  const asking = early.isLoading || later.isLoading || settled !== rows;
  return { turns: (!hidden && turns) || NO_TURNS, unknown, asking };
}

function modelCalls(rows: readonly SpanRow[]) {
  const ended: string[] = [];
  let [counting, agents] = [0, false];
  for (const { id, kind, status, foldedInto } of rows) {
    if (kind === "agent") agents = true;
    if (kind !== "llm") continue;
    if (status !== "running") ended.push(id);
    if (foldedInto === null) counting++;
  }
  return { ended, counting, agents };
}

/** Whether all of these calls are among the turns; turns that were asked for before the rows can lack the last ones. */
function haveAll(turns: readonly Turn[], ended: readonly string[]): boolean {
  const known = new Set(turns.map(({ span_id }) => span_id));
  return ended.every((id) => known.has(id));
}

/** Make inferred rows available under the same queries as recorded ones. */
export function useInferredEvents(rows: readonly SpanRow[], base: UnixNano): void {
  const queries = useQueryClient();
  // Before whatever shows one of them asks for it.
  useLayoutEffect(() => {
    return provideInferred(queries, {
      find: (spanId) => {
        const row = rows[treeOf(rows).places.get(spanId) ?? -1];
        return row?.inferred ? eventOf(row, base) : undefined;
      },
    });
  }, [queries, rows, base]);
}

/** An inferred call in the form of the API. */
function eventOf(row: SpanRow, base: string): FullEvent {
  const { inferred } = row;
  const tool = inferred?.what === "tool" ? inferred : null;
  return {
    seq: 0,
    trace_id: INFERRED,
    span_id: row.id,
    parent_id: row.parentId,
    session_id: null,
    kind: row.kind,
    name: row.name,
    status: row.status,
    hook: null,
    dialect: INFERRED,
    service: null,
    agent: row.agent,
    model: null,
    tool: row.tool,
    start_time_unix_nano: laterBy(base, row.startMs),
    end_time_unix_nano: row.durationMs === null ? null : laterBy(base, row.startMs + row.durationMs),
    duration_ms: row.durationMs,
    input_tokens: null,
    output_tokens: null,
    cached_tokens: null,
    cost_usd: null,
    error: row.status === "error" && tool ? { type: null, message: tool.result, traceback: null } : null,
    folded_into: null,
    input: tool ? read(tool.arguments) : null,
    output: tool?.result ?? null,
    attributes: {},
    events: [],
    links: [],
  };
}

function read(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
