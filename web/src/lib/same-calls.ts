import type { SpanRow } from "./spans";
import { ancestorsOf, type Tree } from "./tree";

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

/** Another span that tells of a call, as seen from one that does: they often bear one name. */
export interface OtherTeller {
  name: string;
  where: "above" | "below";
}

/** The span that counts for the call of a row; null for a row that counts itself, or while that span is not here. */
export function countingTeller(rows: readonly SpanRow[], tree: Tree, at: number): OtherTeller | null {
  const into = rows[at]?.foldedInto ?? null;
  return into === null ? null : tellerFrom(rows, tree, at, into);
}

/** A span that tells of the same call as a row; null while it is not here. */
export function tellerFrom(rows: readonly SpanRow[], tree: Tree, at: number, spanId: string): OtherTeller | null {
  const other = tree.places.get(spanId);
  const row = rows[other ?? -1];
  if (other === undefined || !row) return null;
  return { name: row.name, where: ancestorsOf(tree, at).includes(other) ? "above" : "below" };
}
