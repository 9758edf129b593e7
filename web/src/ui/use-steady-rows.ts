import { type RefObject, useLayoutEffect, useRef, useState } from "react";

interface Rows {
  scroller: RefObject<HTMLElement | null>;
  /** What each row is, in order. */
  keys: readonly string[];
  rowHeight: number;
  /** The row that the keyboard is on, -1 for none. */
  cursor: number;
  setCursor: (row: number) => void;
  /** Whether to scroll along; the keyboard stays on its row in any case. */
  scrolls: boolean;
}

/** For how long after the pointer moved a list must not move below it, so that what is clicked is what was seen. */
export const AIMING_MS = 1500;

/**
 * Keeps a list still while rows come in above: what one looks or points at stays where it is.
 *
 * A list that is scrolled, that the keyboard is in or that the pointer just moved over is held by its topmost row, and
 * `unseen` counts the rows that came above it. Otherwise new rows push the others down.
 */
export function useSteadyRows({ scroller, keys, rowHeight, cursor, setCursor, scrolls }: Rows) {
  const before = useRef(keys);
  const aimed = useRef(0);
  const [unseen, setUnseen] = useState(0);

  useLayoutEffect(() => {
    const known = before.current;
    if (known === keys) return;
    before.current = keys;
    const list = scroller.current;
    if (!list || known.length === 0) return;
    const under = known[cursor];
    if (under !== undefined && keys[cursor] !== under) setCursor(keys.indexOf(under));
    if (!scrolls) return;
    const top = Math.min(known.length - 1, Math.floor(list.scrollTop / rowHeight));
    const shift = keys.indexOf(known[top] ?? "") - top;
    const held = list.scrollTop > 0 || cursor >= 0 || Date.now() - aimed.current < AIMING_MS;
    if (shift <= 0 || !held) return;
    list.scrollTop += shift * rowHeight;
    const old = new Set(known);
    const added = keys.slice(0, top + shift).filter((key) => !old.has(key)).length;
    if (list.scrollTop > 0) setUnseen((count) => count + added);
  }, [keys, scroller, rowHeight, cursor, setCursor, scrolls]);

  return {
    unseen,
    onPointerMove() {
      aimed.current = Date.now();
    },
    onScroll() {
      if (unseen > 0 && (scroller.current?.scrollTop ?? 0) < rowHeight / 2) setUnseen(0);
    },
    toTop() {
      setUnseen(0);
      scroller.current?.scrollTo({ top: 0 });
    },
  };
}
