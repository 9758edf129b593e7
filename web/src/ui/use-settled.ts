import { useDeferredValue, useEffect, useRef, useState } from "react";

/** Lists up to that length are followed at once. */
const SHORT = 2_000;
/** How long a longer list stands, for each of its items. */
const MS_AN_ITEM = 0.1;

/**
 * A growing list at the pace of what is made of all of it.
 *
 * A short list is passed on with each change, as soon as the browser has time for it; a long one at most so often that
 * making something of it leaves the page responsive.
 */
export function useSettled<T>(list: readonly T[]): readonly T[] {
  const [shown, setShown] = useState(list);
  const since = useRef(0);
  const isShort = list.length <= SHORT;
  // The moment it becomes long it goes on from here, not from what it was when the page opened.
  if (isShort && list !== shown) setShown(list);
  useEffect(() => {
    if (isShort) since.current = performance.now();
    if (isShort || list === shown) return;
    const wait = since.current + list.length * MS_AN_ITEM - performance.now();
    const timer = window.setTimeout(
      () => {
        since.current = performance.now();
        setShown(list);
      },
      Math.max(0, wait),
    );
    return () => window.clearTimeout(timer);
  }, [list, shown, isShort]);
  return useDeferredValue(isShort || shown.length === 0 ? list : shown);
}
