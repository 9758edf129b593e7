import { useDeferredValue, useEffect, useRef, useState } from "react";

/** Lists up to this length are passed on at once. */
const SHORT = 2_000;
/** The minimum time between two versions of a longer list, per item. */
const MS_AN_ITEM = 0.1;

/**
 * A growing list, at a pace for expensive work on all of it.
 *
 * A short list is passed on with each change, as soon as the browser has time for it; a long one less often, so that
 * the work leaves the page responsive.
 */
export function useSettled<T>(list: readonly T[]): readonly T[] {
  const [shown, setShown] = useState(list);
  const since = useRef(0);
  const isShort = list.length <= SHORT;
  // If the list becomes long, continue from here, not from its state when the page opened.
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
