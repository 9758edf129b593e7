import { type KeyboardEvent, useState } from "react";

interface Rows {
  count: number;
  /** Bring a row into view. */
  show: (row: number) => void;
  open: (row: number) => void;
}

/**
 * A cursor for a list of rows: `j`, `k`, arrows, Page Up and Down, Home and End move it, Enter opens the row.
 *
 * Put `onKeyDown` on the focusable list and mark the row at `cursor` (-1: none) with `aria-activedescendant`.
 */
export function useRowKeys({ count, show, open }: Rows) {
  const [at, setCursor] = useState(-1);
  const cursor = Math.min(at, count - 1);

  function onKeyDown(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== event.currentTarget) return;
    if (event.key === "Enter" && cursor >= 0) {
      event.preventDefault();
      open(cursor);
      return;
    }
    const next = moved(event.key, cursor, count);
    if (next === null || count === 0) return;
    event.preventDefault();
    setCursor(next);
    show(next);
  }

  return { cursor, setCursor, onKeyDown };
}

function moved(key: string, at: number, count: number): number | null {
  const last = count - 1;
  switch (key) {
    case "j":
    case "ArrowDown":
      return Math.min(last, at + 1);
    case "k":
    case "ArrowUp":
      return Math.max(0, at - 1);
    case "PageDown":
      return Math.min(last, at + 20);
    case "PageUp":
      return Math.max(0, at - 20);
    case "Home":
      return 0;
    case "End":
      return last;
    default:
      return null;
  }
}
