import { useEffect, useState } from "react";

/** How long a first picture waits for what would move it, if nothing stands in for it. */
const MOST_MS = 200;

/**
 * Whether the first picture may be shown: as soon as nothing is loading that would move it, or else after a moment.
 *
 * Once it may, it stays so.
 *
 * @param hasRows Whether there is something to show.
 * @param waiting Whether something that would move it is loading.
 * @param mostMs How long it waits.
 */
export function useReady(hasRows: boolean, waiting: boolean, mostMs = MOST_MS): boolean {
  const [ready, setReady] = useState(false);
  if (hasRows && !waiting && !ready) setReady(true);
  const isHeld = hasRows && !ready;
  useEffect(() => {
    if (!isHeld) return;
    const timer = window.setTimeout(() => setReady(true), mostMs);
    return () => window.clearTimeout(timer);
  }, [isHeld, mostMs]);
  return ready || (hasRows && !waiting);
}
