import { KINDS, STATUSES } from "./filter";
import type { SpanRow } from "./spans";
import { finish, type Steps } from "./steps";
import type { UnixNano } from "./time";

/** A row for tests: a successful tool call of 10 ms, unless `over` says otherwise. */
export function sampleRow(id: string, parentId: string | null = null, over: Partial<SpanRow> = {}): SpanRow {
  return {
    id,
    traceId: "",
    parentId,
    kind: "tool",
    status: "ok",
    name: id,
    agent: null,
    model: null,
    tool: null,
    errorType: null,
    startMs: 0,
    durationMs: 10,
    inputTokens: null,
    outputTokens: null,
    cachedTokens: null,
    costUsd: null,
    foldedInto: null,
    inferred: null,
    ...over,
  };
}

/** A builder of rows that begin `stepMs` apart; `all` is common to them. */
export function rowsInTurn(stepMs = 1, all: Partial<SpanRow> = {}): typeof sampleRow {
  let made = 0;
  return (id, parentId, over) => sampleRow(id, parentId, { startMs: stepMs * made++, ...all, ...over });
}

/** A time in milliseconds in the API's format. */
export function unixNano(ms: number): UnixNano {
  return String(BigInt(Math.round(ms * 1000)) * 1000n);
}

/** Random numbers from 0 to 1, the same for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed + 0x6d2b79f5;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A random trace by start with odd rows: orphans, cycles, several roots, skewed clocks, spans that never ended. */
export function randomRows(seed: number, count: number): SpanRow[] {
  const random = randomFrom(seed);
  const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)] as T;
  const rows = [...Array(count).keys()].map((at) => {
    const parentId = random() < 0.1 ? null : `s${Math.floor(random() * (count + 2))}`;
    const status = random() < 0.6 ? "ok" : pick(STATUSES);
    return sampleRow(`s${at}`, parentId, {
      kind: pick(KINDS),
      status,
      name: pick(["search", "chat", "__proto__"]),
      startMs: Math.round(random() * 1000),
      durationMs: status === "running" || status === "lost" ? null : Math.round(random() * 200) - 20,
      inputTokens: random() < 0.5 ? null : Math.round(random() * 100),
      costUsd: random() < 0.5 ? null : random(),
    });
  });
  return rows.sort((a, b) => a.startMs - b.startMs);
}

/** Random conversations: agents with and without spans, concurrent calls, duplicates, calls that never ended. */
export function randomConversations(seed: number): SpanRow[] {
  const random = randomFrom(seed);
  const names = [null, null, "planner", "critic", "__proto__"];
  const rows: SpanRow[] = randomRows(seed, 80).map((each) => ({
    ...each,
    kind: random() < 0.4 ? "llm" : each.kind,
    agent: names[Math.floor(random() * names.length)] ?? null,
  }));
  const models = new Set(rows.filter(({ kind }) => kind === "llm").map(({ id }) => id));
  const twice = (row: SpanRow) => models.has(row.id) && models.has(row.parentId ?? "") && row.parentId !== row.id;
  return rows.map((row) => ({ ...row, foldedInto: twice(row) ? row.parentId : null }));
}

/** Steps as a plain function. */
export function atOnce<Args extends unknown[], T>(steps: (...args: Args) => Steps<T>): (...args: Args) => T {
  return (...args) => finish(steps(...args));
}
