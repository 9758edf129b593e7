import { agentName, calleeKind, callPlaces } from "./calls";
import { endMs, type SpanRow } from "./spans";
import { finish, PART, type Steps } from "./steps";
import { treeOf, treeSteps } from "./tree";

/**
 * The previous model call of the same agent, as seen from a span.
 *
 * A call is previous only if it had ended when the other one began: concurrent calls do not know of each other. It is
 * searched first in the agent call around the span, then in earlier calls of an agent with the same name. Model calls
 * inside a tool are a conversation of their own, but a tool called by a tool was asked for by whoever asked for the
 * outer one. If messages show which call this one continues, that call is the previous one.
 */
export function previousModelCall(rows: readonly SpanRow[], spanId: string): SpanRow | null {
  const own = treeOf(rows).places.get(spanId);
  if (own === undefined) return null;
  const { continues, inferred } = rows[own] as SpanRow;
  const named = inferred?.what === "tool" ? inferred.asking : continues;
  if (named !== undefined) return named === null ? null : (rows[treeOf(rows).places.get(named) ?? -1] ?? null);
  const talks = talksOf(rows);
  let at = talks.call[own] as number;
  for (;;) {
    const found = latestBefore(rows, talks.within.get(talks.thread[at] as number)?.get(agentOf(talks, at)), at);
    if (found !== null) return found;
    const thread = talks.thread[at] as number;
    if (rows[at]?.kind === "llm" || thread < 0 || !isFetched(rows[thread])) break;
    at = thread;
  }
  const agent = agentOf(talks, at);
  if (agent === null) return null;
  const thread = talks.thread[at] as number;
  return latestBefore(rows, talks.named.get(agent), thread < 0 ? at : Math.min(thread, at));
}

/** The model calls of a trace by agent; numbers are places of rows. */
interface Talks {
  /** The call of each row: several spans can belong to one call. */
  call: Int32Array;
  /** For each call the enclosing agent, workflow or tool call; -1 for none. */
  thread: Int32Array;
  /** The agent of each call. */
  agent: readonly (string | null)[];
  /** The model calls of each thread and agent. */
  within: Map<number, Map<string | null, Spoken>>;
  /** The model calls of each agent in the whole trace. */
  named: Map<string, Spoken>;
}

/** Model calls by start. */
interface Spoken {
  places: number[];
  /** Computed at the first search. */
  ended: Ended | null;
}

/** The same calls by end; `latest` is for each the highest place among it and those before. */
interface Ended {
  places: Int32Array;
  latest: Int32Array;
}

const known = new WeakMap<readonly SpanRow[], Talks>();

function talksOf(rows: readonly SpanRow[]): Talks {
  return known.get(rows) ?? finish(talkSteps(rows));
}

/** Prepare a list, in steps, for searches of previous calls. */
export function* talkSteps(rows: readonly SpanRow[]): Steps<Talks> {
  const talks = known.get(rows) ?? (yield* readTalks(rows));
  known.set(rows, talks);
  return talks;
}

function* readTalks(rows: readonly SpanRow[]): Steps<Talks> {
  const tree = yield* treeSteps(rows);
  const call = yield* callPlaces(rows);
  const thread = new Int32Array(rows.length).fill(-1);
  const agent: (string | null)[] = new Array(rows.length).fill(null);
  for (const [count, at] of tree.order.entries()) {
    if (count % PART === 0) yield;
    if (call[at] !== at) continue;
    const row = rows[at] as SpanRow;
    const above = tree.parent[at] as number;
    const around = above < 0 ? -1 : (call[above] as number);
    if (around >= 0) thread[at] = isThread(rows[around]) ? around : (thread[around] as number);
    const given = around < 0 || isFetched(rows[around]) ? null : (agent[around] as string | null);
    agent[at] = row.kind === "agent" ? agentName(row) : (row.agent ?? given);
  }
  const talks: Talks = { call, thread, agent, within: new Map(), named: new Map() };
  for (let at = 0; at < rows.length; at++) {
    if (at % PART === 0) yield;
    if (call[at] === at && rows[at]?.kind === "llm") write(talks, at);
  }
  return talks;
}

function write({ thread, agent, within, named }: Talks, at: number): void {
  const name = agent[at] as string | null;
  const own = thread[at] as number;
  const ofThread = within.get(own) ?? new Map<string | null, Spoken>();
  within.set(own, ofThread);
  put(ofThread, name, at);
  if (name !== null) put(named, name, at);
}

function put<Key>(calls: Map<Key, Spoken>, key: Key, at: number): void {
  const found = calls.get(key);
  if (found) found.places.push(at);
  else calls.set(key, { places: [at], ended: null });
}

function agentOf({ agent }: Talks, at: number): string | null {
  return agent[at] ?? null;
}

function isThread(row: SpanRow | undefined): boolean {
  return row?.kind === "agent" || row?.kind === "workflow" || isFetched(row);
}

/** Whether a row calls something that answers by itself. */
function isFetched(row: SpanRow | undefined): boolean {
  const kind = row && calleeKind(row);
  return kind === "tool" || kind === "resource" || kind === "prompt";
}

// With two clocks, or one in whole milliseconds, consecutive calls can overlap by this much.
const TOUCHING_MS = 1;

/** The last of these calls that had ended when the row at a place began. */
function latestBefore(rows: readonly SpanRow[], calls: Spoken | undefined, place: number): SpanRow | null {
  if (!calls) return null;
  const start = (rows[place] as SpanRow).startMs;
  const last = calls.places[firstOf(calls.places.length, (at) => (calls.places[at] as number) >= place) - 1];
  if (last === undefined) return null;
  if (endOf(rows, last) <= start + TOUCHING_MS) return rows[last] ?? null;
  calls.ended ??= byEnd(rows, calls.places);
  const { places, latest } = calls.ended;
  const after = firstOf(places.length, (at) => {
    const end = endOf(rows, places[at] as number);
    return end > start || (end === start && (places[at] as number) >= place);
  });
  return after > 0 ? (rows[latest[after - 1] as number] ?? null) : null;
}

function byEnd(rows: readonly SpanRow[], calls: readonly number[]): Ended {
  const places = Int32Array.from(calls).sort((a, b) => endOf(rows, a) - endOf(rows, b) || a - b);
  const latest = places.slice();
  for (let at = 1; at < latest.length; at++) {
    latest[at] = Math.max(latest[at - 1] as number, latest[at] as number);
  }
  return { places, latest };
}

/** The end of a call, which is not yet known of one that is running. */
function endOf(rows: readonly SpanRow[], place: number): number {
  return endMs(rows[place] as SpanRow, Number.MAX_VALUE);
}

/** The first position at which a condition holds; it must hold at all later ones too. */
function firstOf(count: number, holds: (at: number) => boolean): number {
  let from = 0;
  let to = count;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (holds(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}
