import type { SpanRow } from "./spans";
import { growsFrom } from "./tree";

/** The rows of a trace, kept in order of start while windows and changes arrive. */
export class LiveRows {
  #rows: SpanRow[];
  readonly #places = new Map<string, number>();

  /** @param rows By start, with unique ids. */
  constructor(rows: readonly SpanRow[] = []) {
    this.#rows = [...rows];
    this.#number(0);
  }

  /** The current rows; never mutated: a change makes a new list. */
  get rows(): readonly SpanRow[] {
    return this.#rows;
  }

  /** Replace rows of the same id, and insert the others in order; of two given rows with one id, the last counts. */
  merge(newer: readonly SpanRow[]): void {
    const before = this.#rows;
    const rows = before.slice();
    const added = new Map<string, SpanRow>();
    let moved = false;
    let rehung = false;
    for (const row of newer) {
      const place = this.#places.get(row.id);
      if (place === undefined) {
        added.set(row.id, row);
      } else {
        moved ||= rows[place]?.startMs !== row.startMs;
        rehung ||= rows[place]?.parentId !== row.parentId;
        rows[place] = row;
      }
    }
    if (moved) rows.sort(byStart);
    this.#rows = rows;
    const from = added.size ? this.#insert([...added.values()].sort(byStart)) : rows.length;
    this.#number(moved ? 0 : from);
    if (!moved && !rehung && from >= before.length) growsFrom(rows, before);
  }

  /** Merge sorted rows from the back; returns the first place that is new or has moved. */
  #insert(added: SpanRow[]): number {
    const rows = this.#rows;
    let from = rows.length - 1;
    let next = added.length - 1;
    let to = rows.length + added.length - 1;
    rows.length += added.length;
    while (next >= 0) {
      const row = added[next] as SpanRow;
      const before = rows[from];
      if (from >= 0 && before && before.startMs > row.startMs) {
        rows[to--] = before;
        from--;
      } else {
        rows[to--] = row;
        next--;
      }
    }
    return to + 1;
  }

  #number(from: number): void {
    for (let at = from; at < this.#rows.length; at++) this.#places.set((this.#rows[at] as SpanRow).id, at);
  }
}

function byStart(a: SpanRow, b: SpanRow): number {
  return a.startMs - b.startMs;
}
