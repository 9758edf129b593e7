import { type KeyboardEvent, useState } from "react";
import { type ActionOn, actionOn } from "@/lib/shortcuts";

interface Rows {
  count: number;
  /** Scroll a row into view. */
  show: (row: number) => void;
  open: (row: number) => void;
  /** The row where the cursor is at first; none by default. */
  from?: number;
}

/**
 * A cursor for the rows of a list, moved by the keys of lists.
 *
 * Put `onKeyDown` on the focusable list and mark the row at `cursor` (-1: none) with `aria-activedescendant`.
 */
export function useRowKeys({ count, show, open, from = -1 }: Rows) {
  const [at, setCursor] = useState(from);
  const cursor = Math.min(at, count - 1);

  function onKeyDown(event: KeyboardEvent) {
    if (event.target !== event.currentTarget) return;
    const action = actionOn("Lists", event);
    if (action === "openRow" && cursor >= 0) {
      event.preventDefault();
      open(cursor);
      return;
    }
    const next = action && rowAfter(action, cursor, count);
    if (next === null || count === 0) return;
    event.preventDefault();
    setCursor(next);
    show(next);
  }

  return { cursor, setCursor, onKeyDown };
}

function rowAfter(action: ActionOn<"Lists">, at: number, count: number): number | null {
  const last = count - 1;
  switch (action) {
    case "nextRow":
      return Math.min(last, at + 1);
    case "previousRow":
      return Math.max(0, at - 1);
    case "pageDown":
      return Math.min(last, at + 20);
    case "pageUp":
      return Math.max(0, at - 20);
    case "firstRow":
      return 0;
    case "lastRow":
      return last;
    case "openRow":
      return null;
  }
}
