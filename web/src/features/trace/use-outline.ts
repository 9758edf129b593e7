import { useMemo, useState } from "react";
import type { SpanRow } from "@/lib/spans";
import { ancestorsOf, type Tree } from "@/lib/tree";
import { foldAround, hasOwnLine, type Lines, linesOf, type Shape } from "./lines";
import type { Picture } from "./picture";
import { readableDepth, type Subtrees } from "./subtrees";

/** Traces of more spans than this open folded. */
const MANY = 200;
/** Traces of more spans than this open to a depth that shows no more lines. */
const READABLE = 2000;
/** Deeper than any tree is. */
export const ALL_LEVELS = 9999;

interface Asked {
  depth?: number | undefined;
  fold?: "0" | "1" | undefined;
  same?: "0" | undefined;
}

interface Parts {
  picture: Picture;
  complete: boolean;
  asked: Asked;
  selected: string | null;
}

export interface Outline {
  /** For the visible rows. */
  tree: Tree;
  below: Subtrees;
  lines: Lines;
  folded: boolean;
  /** Whether duplicates are left out. */
  once: boolean;
  /** How many levels are open by default. */
  depth: number;
  /** Open or close the line of a span. */
  toggle: (id: string, open: boolean) => void;
  toggleFold: (id: string, open: boolean) => void;
  /** Forget lines opened and closed by hand. */
  forget: () => void;
}

const NOTHING: ReadonlyMap<string, boolean> = new Map();
const NO_FOLDS: ReadonlySet<string> = new Set();

/** The lines of a waterfall: opened and closed by hand, otherwise by depth; the selected span is never hidden. */
export function useOutline({ picture, complete, asked, selected }: Parts): Outline {
  const { rows } = picture;
  const { tree, below } = picture.shown;
  const usual = useUsual(rows, tree, complete);
  const [byHand, setByHand] = useState(NOTHING);
  const [openFolds, setOpenFolds] = useState(NO_FOLDS);
  const depth = asked.depth ?? usual.depth;
  const folded = asked.fold === undefined ? usual.folded : asked.fold === "1";
  const all = asked.depth !== undefined;
  const shape: Shape = useMemo(() => {
    // By default, duplicates below a call are collapsed.
    const isOpen = (at: number) =>
      byHand.get((rows[at] as SpanRow).id) ??
      ((tree.depth[at] as number) < depth && (all || !hasOnlyDuplicatesBelow(rows, tree, at)));
    return { tree, below, isOpen, folded, everything: all, openFolds };
  }, [rows, tree, below, byHand, depth, all, folded, openFolds]);
  const lines = useMemo(() => linesOf(rows, shape), [rows, shape]);

  const [revealed, setRevealed] = useState<string | null>(null);
  const at = selected === null ? undefined : picture.tree.places.get(selected);
  if (selected !== revealed && at !== undefined) {
    setRevealed(selected);
    if (!hasOwnLine(lines, at)) reveal(at);
  }

  function idOf(row: number): string {
    return (rows[row] as SpanRow).id;
  }

  function reveal(row: number) {
    const path = ancestorsOf(tree, row);
    const closed = path.filter((above) => !shape.isOpen(above));
    if (closed.length) setByHand(new Map([...byHand, ...closed.map((above) => [idOf(above), true] as const)]));
    const around = [row, ...path].flatMap((each) => foldAround(rows, shape, each)?.id ?? []);
    if (around.length) setOpenFolds(new Set([...openFolds, ...around]));
  }

  return {
    tree,
    below,
    lines,
    folded,
    once: asked.same === "0",
    depth,
    toggle: (id, open) => setByHand(new Map(byHand).set(id, open)),
    toggleFold: (id, open) => setOpenFolds(open ? new Set(openFolds).add(id) : setWithout(openFolds, id)),
    forget: () => setByHand(NOTHING),
  };
}

/** Whether a call has only duplicates below it, such as the message and the server's side of it. */
function hasOnlyDuplicatesBelow(rows: readonly SpanRow[], tree: Tree, at: number): boolean {
  const waiting = [...(tree.children[at] ?? [])];
  if (waiting.length === 0) return false;
  for (let below = waiting.pop(); below !== undefined; below = waiting.pop()) {
    if (rows[below]?.foldedInto === null) return false;
    waiting.push(...(tree.children[below] ?? []));
  }
  return true;
}

/** How a trace opens. Decided once it is loaded: a growing run must not fold up while it is read. */
function useUsual(rows: readonly SpanRow[], tree: Tree, complete: boolean): { depth: number; folded: boolean } {
  const [settled, setSettled] = useState<{ depth: number; folded: boolean } | null>(null);
  const usual = useMemo(
    () =>
      settled ?? {
        depth: rows.length > READABLE ? readableDepth(tree, READABLE) : ALL_LEVELS,
        folded: rows.length > MANY,
      },
    [settled, rows, tree],
  );
  if (complete && !settled) setSettled(usual);
  return usual;
}

function setWithout<T>(set: ReadonlySet<T>, value: T): ReadonlySet<T> {
  const rest = new Set(set);
  rest.delete(value);
  return rest;
}
