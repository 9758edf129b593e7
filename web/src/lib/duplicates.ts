import { groupedBy } from "./grouped";
import type { SpanRow } from "./spans";
import { ancestorsOf, type Tree } from "./tree";

/** The duplicates of each call, by the id of the span that counts. */
export type Duplicates = ReadonlyMap<string, readonly SpanRow[]>;

const known = new WeakMap<readonly SpanRow[], Duplicates>();

/** Group the duplicates by call, each in order of start; computed once for each list of rows. */
export function duplicatesOf(rows: readonly SpanRow[]): Duplicates {
  const folded = () => rows.filter((row): row is Folded => row.foldedInto !== null);
  const found = known.get(rows) ?? groupedBy(folded(), ({ foldedInto }) => foldedInto);
  known.set(rows, found);
  return found;
}

type Folded = SpanRow & { foldedInto: string };

/** Another span of the same call, as seen from a span: both often have the same name. */
export interface OtherSpan {
  name: string;
  where: "above" | "below" | "elsewhere";
}

/** The span that counts for the call of a row; null if the row counts itself, or while that span is not loaded. */
export function countingSpan(rows: readonly SpanRow[], tree: Tree, at: number): OtherSpan | null {
  const into = rows[at]?.foldedInto ?? null;
  return into === null ? null : otherSpan(rows, tree, at, into);
}

/** Another span of the same call; null while it is not loaded. */
export function otherSpan(rows: readonly SpanRow[], tree: Tree, at: number, spanId: string): OtherSpan | null {
  const other = tree.places.get(spanId);
  const row = rows[other ?? -1];
  if (other === undefined || !row) return null;
  const isAbove = ancestorsOf(tree, at).includes(other);
  return { name: row.name, where: isAbove ? "above" : ancestorsOf(tree, other).includes(at) ? "below" : "elsewhere" };
}
