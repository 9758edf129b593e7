import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useLayoutEffect, useMemo } from "react";
import type { FullEvent } from "@/api/client";
import type { Place } from "@/api/queries";
import { inferredKey, turnsQuery } from "@/api/queries";
import type { LiveTrace } from "@/api/use-trace";
import { INFERRED, withConversations } from "@/lib/inferred";
import type { SpanRow } from "@/lib/spans";
import { laterBy } from "@/lib/time";
import { useSettled } from "@/ui/use-settled";

interface Conversations {
  /** The rows of a page with the agents and tools that follow from their messages, unless they are to be left out. */
  rows: readonly SpanRow[];
  /** Whether there are model calls that might continue one another, and none of them has its messages. */
  unknown: boolean;
}

/** What the messages of a page's model calls tell of agents and tools. */
export function useConversations(live: LiveTrace, place: Place, hidden: boolean): Conversations {
  const { rows, base, trace } = live;
  const queries = useQueryClient();
  const settled = useSettled(rows);
  const ended = useMemo(
    () => settled.filter((row) => row.kind === "llm" && row.status !== "running").length,
    [settled],
  );
  const runId = live.run?.run_id ?? trace?.run_id ?? null;
  const traceId = "traceId" in place ? place.traceId : null;
  const { data: turns } = useQuery(turnsQuery(hidden ? null : runId, traceId, ended));
  const shown = useMemo(
    () => (hidden || !turns?.length ? rows : withConversations(rows, turns, base)),
    [hidden, turns, rows, base],
  );
  // Before whatever shows one of them asks for it.
  useLayoutEffect(() => {
    for (const row of shown) if (row.inferred) queries.setQueryData(inferredKey(row.id), eventOf(row, base));
  }, [queries, shown, base]);
  const unknown = useMemo(
    () => turns?.length === 0 && settled.filter((row) => row.kind === "llm" && row.foldedInto === null).length > 1,
    [turns, settled],
  );
  return { rows: shown, unknown: unknown && !settled.some((row) => row.kind === "agent") };
}

/** What is inferred as the API would answer it, had it been recorded. */
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
