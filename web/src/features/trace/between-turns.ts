import { groupedBy } from "@/lib/grouped";
import type { InferredTurn } from "@/lib/inferred";
import type { SpanRow } from "@/lib/spans";
import { PART, type Steps } from "@/lib/steps";
import type { Tree } from "@/lib/tree";

/** Rows and their tree. */
export interface Known {
  rows: readonly SpanRow[];
  tree: Tree;
}

/** A model call of a conversation: its row, and its turn as inferred from messages. */
export interface Member {
  at: number;
  row: SpanRow;
  turn: InferredTurn;
}

/** A conversation, or the part of it recorded below one parent row: its model calls by start. */
export interface Talk {
  /** The place of the parent row; -1 if the calls are roots. */
  above: number;
  members: Member[];
}

interface Gap {
  fromMs: number;
  toMs: number;
  talk: Talk;
}

/** Times are sums of milliseconds, exact to a microsecond. */
const ROUNDED_MS = 0.001;

/**
 * The rows that ran between the model calls of conversations, next to these, each with its conversation: the calls
 * that answers asked for (or the row of the batch around them), and rows that began and ended between two turns of
 * this conversation only. A model call that is not a turn of the conversation is left out.
 */
export function* betweenSteps(known: Known, talks: readonly Talk[]): Steps<Map<number, Talk>> {
  const turns = new Set(talks.flatMap(({ members }) => members.map(({ at }) => at)));
  const owners = yield* askedSteps(known, talks);
  const until = new Map<Talk, number>();
  for (const [at, asking] of owners) {
    const { startMs } = known.rows[at] as SpanRow;
    for (const talk of asking) until.set(talk, Math.max(until.get(talk) ?? 0, startMs));
  }
  for (const [above, beside] of groupedBy(talks, ({ above }) => above)) {
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

/** The conversations that asked for each row next to their calls, or for a row below it. */
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

/** The times between the turns; the last one lasts until the start of the last call that the conversation asked for. */
function gapsOf(talk: Talk, untilMs: number): Gap[] {
  return talk.members.flatMap(({ row }, at) => {
    const toMs = talk.members[at + 1]?.row.startMs ?? untilMs;
    return row.durationMs === null ? [] : [{ fromMs: row.startMs + row.durationMs, toMs, talk }];
  });
}

/** Note for each row the conversations in whose gaps it began and ended. */
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
