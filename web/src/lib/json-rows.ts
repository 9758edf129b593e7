import { type Entry, entriesOf, isContainer, sizeOf } from "./json";
import type { Step } from "./json-path";

/** How many members or items of a container are shown at first. */
export const CHUNK = 100;
/** How many more are shown at each request. */
export const NEXT_CHUNK = 900;

/** One line of a JSON tree. */
export interface JsonRow {
  /** The indexes on the path to it; unlike keys they are unique and harmless. */
  id: string;
  depth: number;
  key: Step | null;
  overridden: boolean;
  value: unknown;
  /** `more` represents the items of its parent that are not shown yet. */
  shape: "scalar" | "open" | "closed" | "more";
  /** Members of a container; for `more`, those that are left. */
  count: number;
  parent: JsonRow | null;
}

/** The open containers, and how many members each shows beyond the first chunk. */
export interface Unfolded {
  open: ReadonlySet<string>;
  shown: ReadonlyMap<string, number>;
}

const ROOT = "$";

/** The containers to open at first: breadth first, up to `budget` lines. */
export function firstOpen(value: unknown, budget = 60): Set<string> {
  const open = new Set([ROOT]);
  if (!isContainer(value)) return open;
  let lines = Math.min(sizeOf(value), CHUNK);
  const waiting: [string, object][] = [[ROOT, value]];
  for (let at = 0; at < waiting.length; at++) {
    const [id, container] = waiting[at] ?? [ROOT, value];
    entriesOf(container, 0, CHUNK).forEach(({ value: held }, place) => {
      const count = isContainer(held) ? sizeOf(held) : 0;
      if (!isContainer(held) || count === 0 || count > CHUNK || lines + count > budget) return;
      lines += count;
      open.add(`${id}.${place}`);
      waiting.push([`${id}.${place}`, held]);
    });
  }
  return open;
}

/** The visible lines of a value; the members of the root are at depth 0. */
export function rowsOfJson(value: unknown, { open, shown }: Unfolded): JsonRow[] {
  if (!isContainer(value) || sizeOf(value) === 0) return [];
  const rows: JsonRow[] = [];
  const root = row(ROOT, -1, { key: "", value }, null, open);
  const waiting: { parent: JsonRow; entries: Entry[]; at: number; left: number }[] = [level(root, value, shown)];
  for (let now = waiting.at(-1); now !== undefined; now = waiting.at(-1)) {
    const { parent } = now;
    const entry = now.entries[now.at];
    if (entry === undefined) {
      if (now.left > 0) rows.push(more(parent, now.left));
      waiting.pop();
      continue;
    }
    const made = row(`${parent.id}.${now.at++}`, parent.depth + 1, entry, parent, open);
    rows.push(made);
    if (made.shape === "open" && isContainer(entry.value)) waiting.push(level(made, entry.value, shown));
  }
  return rows;
}

/** The steps from the root to a line. */
export function stepsTo(row: JsonRow): Step[] {
  const steps: Step[] = [];
  for (let at: JsonRow | null = row; at?.parent; at = at.parent) if (at.key !== null) steps.push(at.key);
  return steps.reverse();
}

function level(parent: JsonRow, value: object, shown: ReadonlyMap<string, number>) {
  const to = CHUNK + (shown.get(parent.id) ?? 0);
  return { parent, entries: entriesOf(value, 0, to), at: 0, left: Math.max(0, sizeOf(value) - to) };
}

function row(id: string, depth: number, entry: Entry, parent: JsonRow | null, open: ReadonlySet<string>): JsonRow {
  const { key, value, overridden = false } = entry;
  const count = isContainer(value) ? sizeOf(value) : 0;
  const shape = count === 0 ? "scalar" : open.has(id) ? "open" : "closed";
  return { id, depth, key, overridden, value, shape, count, parent };
}

function more(parent: JsonRow, left: number): JsonRow {
  return {
    id: `${parent.id}.more`,
    depth: parent.depth + 1,
    key: null,
    overridden: false,
    value: undefined,
    shape: "more",
    count: left,
    parent,
  };
}
