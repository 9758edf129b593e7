import type { Kind } from "./filter";
import { endMs, type SpanRow } from "./spans";

/** What stands around a span in its trace. Rows are by start. */
export interface Around {
  row: SpanRow | null;
  /** From the root down to the parent. */
  ancestors: SpanRow[];
  children: SpanRow[];
  previous: SpanRow | null;
  next: SpanRow | null;
}

const NOTHING: Around = { row: null, ancestors: [], children: [], previous: null, next: null };

/** Find what stands around a span; parents that lead back to it are cut. */
export function around(rows: readonly SpanRow[], spanId: string): Around {
  const row = rows.find((each) => each.id === spanId);
  if (!row) return NOTHING;
  const siblings = rows.filter((each) => each.parentId === row.parentId);
  const at = siblings.indexOf(row);
  return {
    row,
    ancestors: ancestorsOf(new Map(rows.map((each) => [each.id, each])), row).reverse(),
    children: rows.filter((each) => each.parentId === spanId && each !== row),
    previous: siblings[at - 1] ?? null,
    next: siblings[at + 1] ?? null,
  };
}

/** The agent in whose hands a span is: the innermost agent's span around it. */
export function agentAround({ ancestors }: Around): SpanRow | null {
  return ancestors.findLast((row) => row.kind === "agent") ?? null;
}

/**
 * The model call that the same agent made before a span, seen from that span.
 *
 * First inside the same call of the agent; then in earlier calls of an agent of that name. A call that the span is part
 * of is not before it.
 */
export function previousModelCall(rows: readonly SpanRow[], spanId: string): SpanRow | null {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const row = byId.get(spanId);
  if (!row) return null;
  const above = ancestorsOf(byId, row);
  const own = agentOf(row, above);
  const isAbove = new Set(above);
  let sameName: SpanRow | null = null;
  for (let at = rows.lastIndexOf(row) - 1; at >= 0; at--) {
    const each = rows[at];
    if (each?.kind !== "llm" || isAbove.has(each)) continue;
    const others = ancestorsOf(byId, each);
    // A model call inside another one is the same call, recorded by two libraries.
    if (others.some((other) => other.kind === "llm")) continue;
    const agent = agentOf(each, others);
    if (agent.span === own.span && (agent.span !== null || agent.name === own.name)) return each;
    if (sameName === null && own.name !== null && agent.name === own.name) sameName = each;
  }
  return sameName;
}

/** The failed span deepest below one on the way of its first failure: where the trouble began. */
export function deepestFailure(rows: readonly SpanRow[], spanId: string): SpanRow | null {
  let found: SpanRow | null = null;
  const seen = new Set<string>();
  for (let id: string | null = spanId; id !== null && !seen.has(id); ) {
    const parent: string = id;
    seen.add(parent);
    const failed = rows.find((row) => row.parentId === parent && row.status === "error" && row.id !== spanId);
    found = failed ?? found;
    id = failed?.id ?? null;
  }
  return found;
}

interface Agent {
  span: string | null;
  name: string | null;
}

function agentOf(row: SpanRow, above: readonly SpanRow[]): Agent {
  const span = above.find((each) => each.kind === "agent");
  return { span: span?.id ?? null, name: row.agent ?? (span ? (span.agent ?? span.name) : null) };
}

/** From the parent up to the root. */
function ancestorsOf(byId: ReadonlyMap<string, SpanRow>, row: SpanRow): SpanRow[] {
  const found: SpanRow[] = [];
  const seen = new Set([row]);
  for (let at = row; at.parentId !== null; ) {
    const above = byId.get(at.parentId);
    if (!above || seen.has(above)) break;
    seen.add(above);
    found.push(above);
    at = above;
  }
  return found;
}

/** The spans below another one that bear the same kind and name, summed up. */
export interface Group extends Sums {
  kind: Kind;
  name: string;
  /** The one to look at first: the first that failed, otherwise the first. */
  first: SpanRow;
  count: number;
  /** Milliseconds, those of calls at the same time counted each. */
  totalMs: number;
  running: number;
  errors: number;
}

/** Tokens and dollars, null where nothing is known of them. */
export interface Sums {
  inputTokens: number | null;
  outputTokens: number | null;
  costUsd: number | null;
}

/** Sum up rows by kind and name, in the order of their first; tokens and cost are those of `below` each row, if given. */
export function groupsOf(rows: readonly SpanRow[], nowMs: number, below?: ReadonlyMap<string, Sums>): Group[] {
  const groups = new Map<string, Group>();
  for (const row of rows) {
    const key = `${row.kind} ${row.name}`;
    const group = groups.get(key) ?? empty(row);
    groups.set(key, group);
    group.count++;
    group.totalMs += Math.max(0, endMs(row, nowMs) - row.startMs);
    if (row.status === "running") group.running++;
    if (row.status === "error" && group.errors++ === 0) group.first = row;
    add(group, below?.get(row.id) ?? row);
  }
  return [...groups.values()];
}

/** What a row and everything below it used, for each of some rows; what two of them hold counts for the first. */
export function sumsBelow(rows: readonly SpanRow[], tops: readonly SpanRow[]): Map<string, Sums> {
  const children = childrenOf(rows);
  const seen = new Set<SpanRow>();
  return new Map(
    tops.map((top) => {
      const sums: Sums = { inputTokens: null, outputTokens: null, costUsd: null };
      const waiting = [top];
      for (let row = waiting.pop(); row !== undefined; row = waiting.pop()) {
        if (seen.has(row)) continue;
        seen.add(row);
        add(sums, row);
        for (const child of children.get(row.id) ?? []) waiting.push(child);
      }
      return [top.id, sums];
    }),
  );
}

/** Every row below one, by start. */
export function descendantsOf(rows: readonly SpanRow[], spanId: string): SpanRow[] {
  const children = childrenOf(rows);
  const inside = new Set<SpanRow>();
  const waiting = [spanId];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    for (const row of children.get(id) ?? []) {
      if (inside.has(row) || row.id === spanId) continue;
      inside.add(row);
      waiting.push(row.id);
    }
  }
  return rows.filter((row) => inside.has(row));
}

function childrenOf(rows: readonly SpanRow[]): Map<string, SpanRow[]> {
  const children = new Map<string, SpanRow[]>();
  for (const row of rows) {
    if (row.parentId === null) continue;
    const held = children.get(row.parentId);
    if (held) held.push(row);
    else children.set(row.parentId, [row]);
  }
  return children;
}

function add(sums: Sums, more: Sums): void {
  sums.inputTokens = sum(sums.inputTokens, more.inputTokens);
  sums.outputTokens = sum(sums.outputTokens, more.outputTokens);
  sums.costUsd = sum(sums.costUsd, more.costUsd);
}

function empty(row: SpanRow): Group {
  const { kind, name } = row;
  return {
    kind,
    name,
    first: row,
    count: 0,
    totalMs: 0,
    running: 0,
    errors: 0,
    inputTokens: null,
    outputTokens: null,
    costUsd: null,
  };
}

function sum(total: number | null, value: number | null): number | null {
  return value === null ? total : (total ?? 0) + value;
}
