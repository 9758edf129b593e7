import { hasFailed, type SpanRow } from "@/lib/spans";
import type { Tree } from "@/lib/tree";
import type { Subtrees } from "./subtrees";

/** How many equal siblings, or cycles of how many spans, are folded into one line. */
const FEWEST = 4;
const FEWEST_CYCLES = 3;
const LONGEST_CYCLE = 8;

/**
 * Siblings in a row that are of the same kind, name, tool, agent and status, count or do not, and hide no failure of
 * their own.
 *
 * They may come in cycles, such as a model call and two tool calls again and again.
 */
export interface Fold {
  /** The span id of its first member, which identifies it while it grows. */
  id: string;
  members: number[];
  /** How many spans make one cycle; 1 if all are equal, 0 for MCP's connection messages. */
  period: number;
  /** Its own line. */
  line: number;
}

/** What a waterfall shows, from top to bottom: columns, one value a line. */
export interface Lines {
  /** The row of each line; for a fold its first member. */
  row: number[];
  /** How far each line is indented. */
  level: number[];
  /** Position in `folds`, -1 for a line that is one span. */
  fold: number[];
  /** Whether the line has others below it: undefined for none, otherwise whether they show. */
  open: (boolean | undefined)[];
  /** Its place among its siblings, from 1, and how many there are. */
  position: number[];
  size: number[];
  folds: Fold[];
  /** The line of each row, its own or that of a closed fold; -1 for a row below a closed one. */
  line: Int32Array;
}

export interface Shape {
  tree: Tree;
  below: Subtrees;
  isOpen: (at: number) => boolean;
  /** Whether runs of equal siblings become one line. */
  folded: boolean;
  /** Whether plumbing shows message by message. */
  everything: boolean;
  openFolds: ReadonlySet<string>;
}

interface Frame {
  entries: readonly (number | Fold)[];
  next: number;
  level: number;
}

/** Lay a tree out as lines. */
export function linesOf(rows: readonly SpanRow[], shape: Shape): Lines {
  const { tree } = shape;
  const lines: Lines = {
    row: [],
    level: [],
    fold: [],
    open: [],
    position: [],
    size: [],
    folds: [],
    line: new Int32Array(rows.length).fill(-1),
  };
  const entries = (siblings: readonly number[]) => entriesOf(rows, siblings, shape);
  const stack: Frame[] = [{ entries: entries(tree.roots), next: 0, level: 0 }];
  for (let frame = stack.at(-1); frame; frame = stack.at(-1)) {
    const entry = frame.entries[frame.next++];
    if (entry === undefined) {
      stack.pop();
      continue;
    }
    const below = add(lines, shape, frame, entry);
    if (below.length === 0) continue;
    // The members of an open fold get a line each: folding them again would never end.
    const inside = typeof entry === "number" ? entries(below) : below;
    stack.push({ entries: inside, next: 0, level: frame.level + 1 });
  }
  return lines;
}

/** Add one line, and return what is below it. */
function add(lines: Lines, shape: Shape, frame: Frame, entry: number | Fold): readonly number[] {
  const isSpan = typeof entry === "number";
  const row = isSpan ? entry : (entry.members[0] as number);
  const below = isSpan ? (shape.tree.children[row] as number[]) : entry.members;
  const open = isSpan ? shape.isOpen(row) : shape.openFolds.has(entry.id);
  if (isSpan) lines.line[row] = lines.row.length;
  else enter(lines, entry, open);
  lines.row.push(row);
  lines.level.push(frame.level);
  lines.fold.push(isSpan ? -1 : lines.folds.push(entry) - 1);
  lines.open.push(below.length ? open : undefined);
  lines.position.push(frame.next);
  lines.size.push(frame.entries.length);
  return open ? below : [];
}

function enter(lines: Lines, fold: Fold, open: boolean): void {
  fold.line = lines.row.length;
  if (!open) for (const member of fold.members) lines.line[member] = fold.line;
}

/** Whether a row has a line of its own. */
export function hasOwnLine(lines: Lines, row: number): boolean {
  const line = lines.line[row] ?? -1;
  return line >= 0 && lines.fold[line] === -1;
}

/** How many adjacent connection messages are folded into one line. */
const FEWEST_MESSAGES = 2;
const PLUMBING =
  /^(?:initialize|ping|server\/discover|notifications\/(?:initialized|\S+\/list_changed)|(?:tools|prompts|resources(?:\/templates)?)\/list)\b/;

/** Whether it is an MCP message that only keeps a connection open, or is about lists of what a server has. */
function isPlumbing({ kind, status, name }: SpanRow): boolean {
  return kind === "rpc" && status === "ok" && PLUMBING.test(name);
}

/** Siblings as shown: connection messages as one, and equal ones and cycles folded if that is on. */
function entriesOf(rows: readonly SpanRow[], siblings: readonly number[], shape: Shape): readonly (number | Fold)[] {
  const others = (part: readonly number[]) => (shape.folded ? grouped(rows, part, shape.below) : part);
  if (shape.everything) return others(siblings);
  const members = siblings.filter((at) => isPlumbing(rows[at] as SpanRow));
  const first = members[0];
  if (first === undefined || members.length < FEWEST_MESSAGES) return others(siblings);
  const inside = new Set(members);
  const place = siblings.indexOf(first);
  const fold: Fold = { id: (rows[first] as SpanRow).id, members, period: 0, line: -1 };
  const after = siblings.slice(place).filter((at) => !inside.has(at));
  return [...others(siblings.slice(0, place)), fold, ...others(after)];
}

/** Siblings with equal neighbours and repeating cycles folded. */
function grouped(rows: readonly SpanRow[], siblings: readonly number[], below: Subtrees): readonly (number | Fold)[] {
  if (siblings.length < FEWEST) return siblings;
  const found: (number | Fold)[] = [];
  for (let from = 0; from < siblings.length; ) {
    const first = siblings[from] as number;
    const { period, cycles } = cyclesAt(rows, siblings, from, below);
    const members = siblings.slice(from, from + period * cycles);
    if (cycles > 1) found.push({ id: (rows[first] as SpanRow).id, members, period, line: -1 });
    else found.push(first);
    from += members.length;
  }
  return found;
}

/** How often the siblings from one on repeat: the shortest cycle that covers the most of them; one of one for none. */
function cyclesAt(rows: readonly SpanRow[], siblings: readonly number[], from: number, below: Subtrees) {
  let best = { period: 1, cycles: 1 };
  if (!isPlain(rows, siblings[from] as number, below)) return best;
  for (let period = 1; period <= LONGEST_CYCLE; period++) {
    let to = from + period;
    while (to < siblings.length && isAlike(rows, siblings[to - period] as number, siblings[to] as number, below)) to++;
    const cycles = Math.floor((to - from) / period);
    const least = period === 1 ? FEWEST : FEWEST_CYCLES;
    if (cycles >= least && cycles * period > (best.cycles > 1 ? best.cycles * best.period : 0))
      best = { period, cycles };
    // Equal neighbours are not a cycle of two.
    if (period === 1 && cycles >= least) return best;
  }
  return best;
}

function isAlike(rows: readonly SpanRow[], first: number, other: number, below: Subtrees): boolean {
  const a = rows[first] as SpanRow;
  const b = rows[other] as SpanRow;
  const counts = (a.foldedInto === null) === (b.foldedInto === null);
  const named = a.kind === b.kind && a.name === b.name && a.tool === b.tool && a.agent === b.agent;
  return counts && named && a.status === b.status && isPlain(rows, other, below);
}

/** A span that ended well around one that did not would hide it in a fold. */
function isPlain(rows: readonly SpanRow[], at: number, below: Subtrees): boolean {
  return below.failures[at] === 0 || hasFailed(rows[at] as SpanRow);
}

/** The fold that shows a row; null if the row has its own line. */
export function foldAround(rows: readonly SpanRow[], shape: Shape, row: number): Fold | null {
  const above = shape.tree.parent[row] ?? -1;
  const siblings = above < 0 ? shape.tree.roots : (shape.tree.children[above] as number[]);
  for (const entry of entriesOf(rows, siblings, shape)) {
    if (typeof entry !== "number" && entry.members.includes(row)) return entry;
  }
  return null;
}
