import { type RefObject, useEffectEvent, useLayoutEffect, useState } from "react";

/** How far a list was scrolled, and the key of the row with the cursor. */
interface Place {
  list: string;
  top: number;
  key: string | undefined;
}

/** Where each list was left, by its label, until the page is closed. */
const left = new Map<string, Place>();

/** Where a list was left: read it before the rows are laid out. */
export function usePlaceInList(label: string, list: string | undefined): Place | null {
  const [place] = useState(() => left.get(label));
  return place !== undefined && place.list === list ? place : null;
}

interface Rows {
  scroller: RefObject<HTMLElement | null>;
  /** The keys of the rows, in order. */
  keys: readonly string[];
  /** The row with the cursor, -1 for none. */
  cursor: number;
}

/**
 * Remember where a list is left.
 *
 * @param list Tells lists with the same label apart, by what they are filtered and sorted by; undefined remembers nothing.
 */
export function useLeavingList(label: string, list: string | undefined, { scroller, keys, cursor }: Rows): void {
  const leave = useEffectEvent((top: number) => {
    if (list !== undefined) left.set(label, { list, top, key: keys[cursor] });
  });
  useLayoutEffect(() => {
    const element = scroller.current;
    return () => leave(element?.scrollTop ?? 0);
  }, [scroller]);
}
