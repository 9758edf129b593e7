import type { InferredTurn } from "./inferred";
import type { SpanRow } from "./spans";
import { PART, type Steps } from "./steps";
import type { Tree } from "./tree";

/** Rows, and how they hang together. */
export interface Known {
  rows: readonly SpanRow[];
  tree: Tree;
}

/** A model call of a conversation: where its row is, and what its messages tell. */
export interface Member {
  at: number;
  row: SpanRow;
  turn: InferredTurn;
}

/** A conversation, or the part of one that was recorded below one row: its model calls by start. */
export interface Talk {
  /** Where that row is; -1 where the calls are below none. */
  above: number;
  members: Member[];
}

interface Gap {
  fromMs: number;
  toMs: number;
  talk: Talk;
}

/** Times are sums of milliseconds, which are as exact as a microsecond. */
const ROUNDED_MS = 0.001;

/**
 * The rows beside the calls of conversations that ran between these, each with the one it belongs to: what its answers
 * asked for, with the row of a batch around it, and what began and ended between two turns of it alone. A model call
 * that is no turn of it belongs to none.
 */
export function* betweenSteps(known: Known, talks: readonly Talk[]): Steps<Map<number, Talk>> {
  const turns = new Set(talks.flatMap(({ members }) => members.map(({ at }) => at)));
  const owners = yield* askedSteps(known, talks);
  const until = new Map<Talk, number>();
  for (const [at, asking] of owners) {
    const { startMs } = known.rows[at] as SpanRow;
    for (const talk of asking) until.set(talk, Math.max(until.get(talk) ?? 0, startMs));
  }
  for (const [above, beside] of byPlace(talks)) {
    const siblings = above < 0 ? known.tree.roots : (known.tree.children[above] ?? []);
    const others = siblings.filter((at) => !turns.has(at) && !owners.has(at) && known.rows[at]?.kind !== "llm");
    yield* withinSteps(
      known,
      beside.flatMap((talk) => gapsOf(talk, until.get(talk) ?? 0)),
      others,
      owners,
    );
  }
  const found = new Map<number, Talk>();
  for (const [at, [only, ...more]] of owners) if (only && more.length === 0 && !turns.has(at)) found.set(at, only);
  return found;
}

function byPlace(talks: readonly Talk[]): Map<number, Talk[]> {
  const found = new Map<number, Talk[]>();
  for (const talk of talks) {
    const beside = found.get(talk.above) ?? [];
    beside.push(talk);
    found.set(talk.above, beside);
  }
  return found;
}

/** Which conversations asked for a call that a row beside their own calls is, or has below it. */
function* askedSteps({ tree }: Known, talks: readonly Talk[]): Steps<Map<number, Talk[]>> {
  const owners = new Map<number, Talk[]>();
  let count = 0;
  for (const talk of talks) {
    for (const { turn } of talk.members) {
      if (++count % PART === 0) yield;
      for (const { span } of turn.tools) {
        let at = span === null ? undefined : tree.places.get(span.span_id);
        while (at !== undefined && at >= 0 && tree.parent[at] !== talk.above) at = tree.parent[at];
        if (at === undefined || at < 0) continue;
        const known = owners.get(at) ?? [];
        if (!known.includes(talk)) owners.set(at, [...known, talk]);
      }
    }
  }
  return owners;
}

/** The times between its turns; the last one until the last call began that it asked for. */
function gapsOf(talk: Talk, untilMs: number): Gap[] {
  return talk.members.flatMap(({ row }, at) => {
    const toMs = talk.members[at + 1]?.row.startMs ?? untilMs;
    return row.durationMs === null ? [] : [{ fromMs: row.startMs + row.durationMs, toMs, talk }];
  });
}

/** Say of each row in the gaps of which conversations it began and ended. */
function* withinSteps(
  { rows }: Known,
  gaps: Gap[],
  places: readonly number[],
  owners: Map<number, Talk[]>,
): Steps<void> {
  gaps.sort((a, b) => b.fromMs - a.fromMs);
  let open: Gap[] = [];
  for (const [count, at] of places.entries()) {
    if (count % PART === 0) yield;
    const { startMs, durationMs } = rows[at] as SpanRow;
    for (let gap = gaps.at(-1); gap && gap.fromMs <= startMs + ROUNDED_MS; gap = gaps.at(-1)) {
      open.push(gap);
      gaps.pop();
    }
    open = open.filter(({ toMs }) => toMs >= startMs - ROUNDED_MS);
    if (durationMs === null) continue;
    const around = open.filter(({ toMs }) => toMs >= startMs + durationMs - ROUNDED_MS);
    if (around.length > 0) owners.set(at, [...new Set(around.map(({ talk }) => talk))]);
  }
}
