import type { Status } from "@/lib/filter";
import { INFERRED, type InferredTool, type InferredTurn } from "@/lib/inferred";
import type { SpanRow } from "@/lib/spans";
import { PART, type Steps } from "@/lib/steps";
import { msBetween, type UnixNano } from "@/lib/time";
import { ancestorsOf, treeSteps } from "@/lib/tree";
import { betweenSteps, type Known, type Member, type Talk } from "./between-turns";

/**
 * The rows with inferred ones: an agent for each conversation outside recorded agents, and the tools that were not
 * recorded. Its model calls, and the calls that ran between them, move below the agent; apart from the parent, existing
 * rows do not change.
 */
export function* conversationSteps(
  rows: readonly SpanRow[],
  turns: readonly InferredTurn[],
  base: UnixNano,
): Steps<readonly SpanRow[]> {
  const known: Known = { rows, tree: yield* treeSteps(rows) };
  const next = new Map(turns.flatMap(({ previous, span_id }) => (previous ? [[previous.span_id, span_id]] : [])));
  const added: SpanRow[] = [];
  const moved = new Map<string, string>();
  const talks = yield* looseTalks(known, turns);
  const between = yield* betweenSteps(known, talks);
  const inner = new Map(talks.map((talk) => [talk, talk.members.map(({ row }) => row)]));
  for (const [at, talk] of between) inner.get(talk)?.push(rows[at] as SpanRow);
  for (const talk of talks) {
    const agent = agentOf(talk.members, inner.get(talk) ?? []);
    added.push(agent);
    for (const { id } of inner.get(talk) ?? []) moved.set(id, agent.id);
    for (const [count, { turn }] of talk.members.entries()) {
      if (count % PART === 0) yield;
      turn.tools.forEach((tool, at) => {
        if (isSeen(tool)) added.push(toolOf(tool, at, turn, next.get(turn.span_id) ?? null, agent.id, base));
      });
    }
  }
  const placed = yield* movedSteps(yield* withTurns(known, turns), known, moved);
  return yield* merged(added.sort(byStart), placed);
}

/** The conversations to show: those outside recorded agents, split where recorded rows separate their calls. */
function* looseTalks(known: Known, turns: readonly InferredTurn[]): Steps<Talk[]> {
  const loose = new Map<string, Talk>();
  for (const [count, turn] of turns.entries()) {
    if (count % PART === 0) yield;
    const at = known.tree.places.get(turn.span_id);
    const row = known.rows[at ?? -1];
    if (at === undefined || !row || isInsideAgent(known, row.id)) continue;
    const above = known.tree.parent[at] ?? -1;
    const key = `${turn.conversation} ${above}`;
    const talk = loose.get(key) ?? { above, members: [] };
    talk.members.push({ at, row, turn });
    loose.set(key, talk);
  }
  return [...loose.values()].filter(({ members }) => members.length > 1 || members[0]?.turn.tools.some(isSeen));
}

/** The rows; those of model calls with their turn. */
function* withTurns(known: Known, turns: readonly InferredTurn[]): Steps<SpanRow[]> {
  const all = known.rows.slice();
  for (const [count, turn] of turns.entries()) {
    if (count % PART === 0) yield;
    const at = known.tree.places.get(turn.span_id);
    const row = all[at ?? -1];
    if (at === undefined || !row) continue;
    const continues = previousOf(turn, known);
    all[at] = {
      ...row,
      ...(continues !== undefined && { continues }),
      turn: { conversation: turn.conversation, sizes: turn.sizes, asks: turn.tools.map(({ name }) => name) },
    };
  }
  return all;
}

/** The same rows with their new parents. */
function* movedSteps(rows: SpanRow[], { tree }: Known, moved: ReadonlyMap<string, string>): Steps<readonly SpanRow[]> {
  let count = 0;
  for (const [id, parentId] of moved) {
    if (++count % PART === 0) yield;
    const at = tree.places.get(id);
    const row = rows[at ?? -1];
    if (at !== undefined && row) rows[at] = { ...row, parentId };
  }
  return rows;
}

/** Two lists merged by start. An agent starts with its first call, and comes before it. */
function* merged(added: readonly SpanRow[], rows: readonly SpanRow[]): Steps<readonly SpanRow[]> {
  const all: SpanRow[] = [];
  let next = 0;
  for (const [count, row] of rows.entries()) {
    if (count % PART === 0) yield;
    for (let first = added[next]; first && first.startMs <= row.startMs; first = added[++next]) all.push(first);
    all.push(row);
  }
  return all.concat(added.slice(next));
}

function byStart(a: SpanRow, b: SpanRow): number {
  return a.startMs - b.startMs;
}

function rowOf({ rows, tree }: Known, id: string): SpanRow | undefined {
  return rows[tree.places.get(id) ?? -1];
}

/** The call that one continues or retries; null if it begins a conversation, undefined if unknown. */
function previousOf(turn: InferredTurn, known: Known): string | null | undefined {
  // A call that may continue several is found by agents and times instead.
  if (turn.link === "unclear") return undefined;
  // In a recorded agent, the previous call is the agent's previous one, even if the messages do not continue it.
  if (turn.previous === null) return isInsideAgent(known, turn.span_id) ? undefined : null;
  return rowOf(known, turn.previous.span_id) ? turn.previous.span_id : undefined;
}

/** Whether it is known to have run but has no span of its own. */
function isSeen(tool: InferredTool): boolean {
  return !tool.recorded && tool.start_time_unix_nano !== null && tool.end_time_unix_nano !== null;
}

function isInsideAgent({ rows, tree }: Known, id: string): boolean {
  const at = tree.places.get(id);
  return at !== undefined && ancestorsOf(tree, at).some((above) => rows[above]?.kind === "agent");
}

/** The row of a conversation; it is running while one of the rows below it is. */
function agentOf(members: readonly Member[], inner: readonly SpanRow[]): SpanRow {
  const rows = members.map(({ row }) => row);
  const first = rows.reduce((least, row) => (row.startMs < least.startMs ? row : least));
  const last = rows.reduce((most, row) => (row.startMs >= most.startMs ? row : most));
  const ends = inner.map((row) => (row.durationMs === null ? null : row.startMs + row.durationMs));
  const isOver = ends.every((end) => end !== null);
  const status: Status = inner.some((row) => row.status === "running") ? "running" : last.status;
  return {
    ...blank(`a000${first.id.slice(4)}`, first.parentId),
    kind: "agent",
    name: "conversation",
    agent: "conversation",
    status,
    startMs: first.startMs,
    durationMs: isOver ? Math.max(...(ends as number[])) - first.startMs : null,
    inferred: {
      what: "conversation",
      turns: members.length,
      retries: members.filter(({ turn }) => turn.link === "retry").length,
      unclear: members.filter(({ turn }) => turn.link === "unclear").length,
      first: first.id,
      last: last.id,
    },
  };
}

function toolOf(
  tool: InferredTool,
  at: number,
  turn: InferredTurn,
  next: string | null,
  parentId: string,
  base: UnixNano,
): SpanRow {
  const from = tool.start_time_unix_nano ?? base;
  const to = tool.end_time_unix_nano ?? from;
  return {
    ...blank(`7${(at % 4096).toString(16).padStart(3, "0")}${turn.span_id.slice(4)}`, parentId),
    kind: "tool",
    name: `execute_tool ${tool.name}`,
    tool: tool.name,
    status: tool.failed ? "error" : "ok",
    startMs: msBetween(base, from),
    durationMs: Math.max(0, msBetween(from, to)),
    inferred: {
      what: "tool",
      name: tool.name,
      arguments: tool.arguments,
      result: tool.result,
      asking: turn.span_id,
      next,
    },
  };
}

function blank(
  id: string,
  parentId: string | null,
): Omit<SpanRow, "kind" | "name" | "status" | "startMs" | "durationMs"> {
  return {
    id,
    parentId,
    traceId: INFERRED,
    agent: null,
    model: null,
    tool: null,
    errorType: null,
    inputTokens: null,
    outputTokens: null,
    cachedTokens: null,
    costUsd: null,
    foldedInto: null,
    inferred: null,
  };
}
