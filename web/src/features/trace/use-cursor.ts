import { type KeyboardEvent, useState } from "react";
import { type ActionOn, actionOn } from "@/lib/shortcuts";
import type { SpanRow } from "@/lib/spans";
import type { Lines } from "./lines";
import type { Outline } from "./use-outline";
import type { Selection } from "./use-selection";

interface Parts {
  rows: readonly SpanRow[];
  outline: Outline;
  selection: Selection;
  /** How many lines a page has. */
  page: () => number;
  /** Enter on a span. */
  onEnter: () => void;
}

/** The cursor of a waterfall: on the selected span, or on a fold, which is not a span. */
export function useCursor({ rows, outline, selection, page, onEnter }: Parts) {
  const { lines } = outline;
  const [fold, setFold] = useState<string | null>(null);
  const at = cursorLine(outline, selection.id, fold);
  const last = lines.row.length - 1;

  function idOf(line: number): string {
    return (rows[lines.row[line] as number] as SpanRow).id;
  }

  function go(line: number, held: boolean) {
    const place = lines.fold[line];
    if (place === undefined) return;
    setFold(place >= 0 ? (lines.folds[place]?.id ?? null) : null);
    if (place >= 0) return;
    if (held) selection.pass(idOf(line));
    else selection.select(idOf(line));
  }

  function toggle(line: number, open: boolean) {
    const foldPlace = lines.fold[line] ?? -1;
    const end = endOf(lines, line);
    if (foldPlace >= 0) {
      const id = lines.folds[foldPlace]?.id ?? "";
      setFold(id);
      outline.toggleFold(id, open);
      return;
    }
    // A line that closes over the cursor takes it.
    if (!open && at > line && at < end) go(line, true);
    outline.toggle(idOf(line), open);
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    if (event.target !== event.currentTarget) return;
    const action = actionOn("Lists", event) ?? actionOn("A run", event);
    if (action === null || !act(action)) return;
    event.preventDefault();
  }

  /** Whether the key was handled. */
  function act(action: ActionOn<"Lists" | "A run">): boolean {
    const open = lines.open[at];
    switch (action) {
      case "nextRow":
        go(Math.min(last, at + 1), true);
        return true;
      case "previousRow":
        go(Math.max(0, at - 1), true);
        return true;
      case "pageDown":
        go(Math.min(last, at + page()), true);
        return true;
      case "pageUp":
        go(Math.max(0, at - page()), true);
        return true;
      case "firstRow":
        go(0, true);
        return true;
      case "lastRow":
        go(last, true);
        return true;
      case "expand":
        if (open === false) toggle(at, true);
        else if (open) go(at + 1, true);
        return true;
      case "collapse":
        if (open) toggle(at, false);
        else go(aboveOf(lines, at), true);
        return true;
      case "openRow":
        if ((lines.fold[at] ?? -1) >= 0) toggle(at, !open);
        else onEnter();
        return true;
      default:
        return false;
    }
  }

  return { at, go, toggle, onKeyDown };
}

/** The line under the cursor: the fold, else the span, else the line that hides the span; -1 for none. */
export function cursorLine({ lines, tree }: Outline, id: string | null, fold: string | null): number {
  const folded = fold === null ? undefined : lines.folds.find((each) => each.id === fold);
  if (folded) return folded.line;
  let row = id === null ? -1 : (tree.places.get(id) ?? -1);
  while (row >= 0 && lines.line[row] === -1) row = tree.parent[row] ?? -1;
  return row < 0 ? -1 : (lines.line[row] as number);
}

function aboveOf(lines: Lines, line: number): number {
  const level = lines.level[line] ?? 0;
  let at = line;
  while (at > 0 && (lines.level[at] ?? 0) >= level) at--;
  return level === 0 ? line : at;
}

/** One past the last line below a line. */
function endOf(lines: Lines, line: number): number {
  const level = lines.level[line] ?? 0;
  let at = line + 1;
  while (at < lines.row.length && (lines.level[at] ?? 0) > level) at++;
  return at;
}
