import { type RefObject, useLayoutEffect, useRef, useState } from "react";

interface Rows {
  scroller: RefObject<HTMLElement | null>;
  /** The keys of the rows, in order. */
  keys: readonly string[];
  rowHeight: number;
  /** The row with the cursor, -1 for none. */
  cursor: number;
  setCursor: (row: number) => void;
  /** Whether to adjust the scroll position; the cursor stays on its row in any case. */
  scrolls: boolean;
}

/** How long a list must not move after the pointer moved over it, so that a click hits what the user saw. */
export const AIMING_MS = 1500;

/** The space below the rows, without which a short list could not be scrolled. */
const ROOM = "--room";

function scrollTo(list: HTMLElement, top: number) {
  // Its scroll height is never less than its own.
  const { offsetTop, offsetHeight } = list.lastElementChild as HTMLElement;
  const room = Math.max(0, top + list.clientHeight - offsetTop - offsetHeight);
  list.style.setProperty(ROOM, `${room}px`);
  list.scrollTop = top;
}

/**
 * Keeps rows still while new ones arrive above: the ones that the user reads or points at do not move.
 *
 * If a list is scrolled, has the focus and a cursor, or was just pointed at, its topmost row stays in place; `unseen` counts the
 * new rows above. Otherwise new rows push the others down.
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
    const walked = cursor >= 0 && list === document.activeElement;
    const held = list.scrollTop > 0 || walked || Date.now() - aimed.current < AIMING_MS;
    if (shift < 0) list.style.removeProperty(ROOM);
    if (shift <= 0 || !held) return;
    scrollTo(list, list.scrollTop + shift * rowHeight);
    const old = new Set(known);
    const added = keys.slice(0, top + shift).filter((key) => !old.has(key)).length;
    if (list.scrollTop > 0) setUnseen((count) => count + added);
  }, [keys, scroller, rowHeight, cursor, setCursor, scrolls]);

  return {
    unseen,
    onAim(pressed: boolean) {
      aimed.current = pressed ? Number.POSITIVE_INFINITY : Date.now();
    },
    onScroll() {
      const list = scroller.current;
      if (unseen === 0 || !list || list.scrollTop >= rowHeight / 2) return;
      list.style.removeProperty(ROOM);
      setUnseen(0);
    },
    toTop() {
      setUnseen(0);
      scroller.current?.scrollTo({ top: 0 });
    },
  };
}
