import type { Status } from "./filter";
import type { SpanRow } from "./spans";
import { PART, type Steps } from "./steps";
import { msBetween, type UnixNano } from "./time";
import { ancestorsOf, type Tree, treeSteps } from "./tree";

/** The trace of a row that no span tells of: it is nowhere but on this page. */
export const INFERRED = "inferred";

/** Whether a span with this id may be an inferred one: ids of those begin so, and others can. */
export function mayBeInferred(spanId: string): boolean {
  return /^(?:a000|7)/.test(spanId);
}

/** What a row follows from, where no span tells of it. */
export type Inferred =
  | {
      what: "conversation";
      turns: number;
      retries: number;
      unclear: number;
      /** The model calls with which it began, and with which it ended so far. */
      first: string;
      last: string;
    }
  | { what: "tool"; name: string; arguments: string; result: string | null; asking: string; next: string | null };

/** A call of a tool that an answer asks for, as the API infers it. */
export interface InferredTool {
  name: string;
  arguments: string;
  result: string | null;
  failed: boolean;
  start_time_unix_nano: UnixNano | null;
  end_time_unix_nano: UnixNano | null;
  recorded: boolean;
}

/** A model call as part of a conversation, as the API infers it. */
export interface InferredTurn {
  conversation: string;
  span_id: string;
  link: "begins" | "continues" | "retry" | "unclear";
  previous: { span_id: string } | null;
  /** Characters of its prompt by what they are. */
  sizes: Readonly<Record<string, number>>;
  tools: readonly InferredTool[];
}

/**
 * The rows with an agent above the model calls of each conversation that no recorded agent holds, and the tools that
 * ran between them. Rows that are there already stay as they are, but for what is above them.
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
  for (const members of (yield* looseTurns(known, turns)).values()) {
    const first = members[0];
    if (!first || (members.length < 2 && !members.some(({ turn }) => turn.tools.some(isSeen)))) continue;
    const agent = agentOf(members);
    added.push(agent);
    for (const [count, { row, turn }] of members.entries()) {
      if (count % PART === 0) yield;
      moved.set(row.id, agent.id);
      turn.tools.forEach((tool, at) => {
        if (isSeen(tool)) added.push(toolOf(tool, at, turn, next.get(turn.span_id) ?? null, agent.id, base));
      });
    }
  }
  return yield* merged(added.sort(byStart), yield* withTurns(known, turns, moved));
}

/** Rows, and how they hang together. */
interface Known {
  rows: readonly SpanRow[];
  tree: Tree;
}

type Member = { row: SpanRow; turn: InferredTurn };

/** The turns of each conversation that no recorded agent holds. */
function* looseTurns(known: Known, turns: readonly InferredTurn[]): Steps<Map<string, Member[]>> {
  const loose = new Map<string, Member[]>();
  for (const [count, turn] of turns.entries()) {
    if (count % PART === 0) yield;
    const row = rowOf(known, turn.span_id);
    if (!row || isInsideAgent(known, row.id)) continue;
    const members = loose.get(turn.conversation) ?? [];
    members.push({ row, turn });
    loose.set(turn.conversation, members);
  }
  return loose;
}

/** The rows, those of model calls with what is known of their turn; those that moved below a conversation. */
function* withTurns(
  known: Known,
  turns: readonly InferredTurn[],
  moved: ReadonlyMap<string, string>,
): Steps<readonly SpanRow[]> {
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
      parentId: moved.get(row.id) ?? row.parentId,
      turn: { conversation: turn.conversation, sizes: turn.sizes, asks: turn.tools.map(({ name }) => name) },
    };
  }
  return all;
}

/** Two lists by start as one. An agent begins with its first call, and stands above it. */
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

/** The call that one continues or tries again; null where it begins, undefined where nothing is known of that. */
function previousOf(turn: InferredTurn, known: Known): string | null | undefined {
  // What may continue several is left to whoever looks at agents and times.
  if (turn.link === "unclear") return undefined;
  // In a recorded agent the call before is the one that its agent made, whatever became of the messages.
  if (turn.previous === null) return isInsideAgent(known, turn.span_id) ? undefined : null;
  return rowOf(known, turn.previous.span_id) ? turn.previous.span_id : undefined;
}

/** Whether it is known to have run, and no span of its own tells of it. */
function isSeen(tool: InferredTool): boolean {
  return !tool.recorded && tool.start_time_unix_nano !== null && tool.end_time_unix_nano !== null;
}

function isInsideAgent({ rows, tree }: Known, id: string): boolean {
  const at = tree.places.get(id);
  return at !== undefined && ancestorsOf(tree, at).some((above) => rows[above]?.kind === "agent");
}

function agentOf(members: readonly Member[]): SpanRow {
  const rows = members.map(({ row }) => row);
  const first = rows.reduce((least, row) => (row.startMs < least.startMs ? row : least));
  const last = rows.reduce((most, row) => (row.startMs >= most.startMs ? row : most));
  const ends = rows.map((row) => (row.durationMs === null ? null : row.startMs + row.durationMs));
  const isOver = ends.every((end) => end !== null);
  const status: Status = rows.some((row) => row.status === "running") ? "running" : last.status;
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

/** Says what a row follows from. */
export function howInferred(inferred: Inferred): string {
  if (inferred.what === "tool") {
    return "Inferred from messages: an answer asked for it, and the next prompt has its result. It ran between the two, and is not counted.";
  }
  const { turns, retries, unclear } = inferred;
  const also = [
    retries > 0 && `${retries} tried again`,
    unclear > 0 && `${unclear} may also continue an equal call`,
  ].filter((each) => each !== false);
  const more = also.length ? ` (${also.join(", ")})` : "";
  return `Inferred from messages: ${turns} model calls${more}, each of which continues the one before. It is not counted.`;
}
