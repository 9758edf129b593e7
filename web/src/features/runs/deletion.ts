import { useSyncExternalStore } from "react";

/** For how long a deletion can be taken back. */
export const GRACE_MS = 60_000;

/** Runs that somebody deleted, which are only hidden until the time to take it back is over. */
export interface Deletion {
  runIds: ReadonlySet<string>;
  /** When they are deleted for good, in milliseconds since the Unix epoch; null where none wait. */
  until: number | null;
  /** Why the last deletion did not work. */
  problem: string | null;
}

const NOTHING: Deletion = { runIds: new Set(), until: null, problem: null };
let current = NOTHING;
const listeners = new Set<() => void>();

function become(next: Deletion) {
  current = next;
  for (const listener of listeners) listener();
}

/** Hide runs, to be deleted when the time is over; it begins anew for those that wait already. */
export function doom(runIds: Iterable<string>): void {
  become({ runIds: new Set([...current.runIds, ...runIds]), until: Date.now() + GRACE_MS, problem: null });
}

/** Show the runs again that wait to be deleted, or that could not be. */
export function spare(problem: string | null = null): void {
  become({ ...NOTHING, problem });
}

/** No longer to be taken back, and hidden still until lists know better. */
export function settle(): void {
  become({ ...current, until: null });
}

/** What waits to be deleted. */
export function useDeletion(): Deletion {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}
