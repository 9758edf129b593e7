import type { SpanRow } from "./spans";
import { growsFrom } from "./tree";

/** The rows of a trace by start, kept in that order while windows and changes of it arrive. */
export class LiveRows {
  #rows: SpanRow[];
  readonly #places = new Map<string, number>();

  /** @param rows By start, no id twice. */
  constructor(rows: readonly SpanRow[] = []) {
    this.#rows = [...rows];
    this.#number(0);
  }

  /** The rows as they stand; never changed afterwards, a change makes a new list. */
  get rows(): readonly SpanRow[] {
    return this.#rows;
  }

  /** Put newer rows over older ones of the same id and the others at their place; of two that are given, the last counts. */
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

  /** Merge sorted rows in from the back, and tell the first place that is a new row's or has moved. */
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
