import type { SpanRow } from "./spans";

/** The rows that tell once more of a call that another row counts for, by the span id of that one. */
export type Retold = ReadonlyMap<string, readonly SpanRow[]>;

const known = new WeakMap<readonly SpanRow[], Retold>();

/** Gather what tells of each call once more, by start; built once for each list of rows. */
export function retoldOf(rows: readonly SpanRow[]): Retold {
  const found = known.get(rows) ?? built(rows);
  known.set(rows, found);
  return found;
}

function built(rows: readonly SpanRow[]): Retold {
  const retold = new Map<string, SpanRow[]>();
  for (const row of rows) {
    if (row.foldedInto === null) continue;
    const others = retold.get(row.foldedInto);
    if (others) others.push(row);
    else retold.set(row.foldedInto, [row]);
  }
  return retold;
}
