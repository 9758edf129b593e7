import { useSyncExternalStore } from "react";
import { storeOf } from "@/lib/store";

/** How long a deletion can be undone. */
export const GRACE_MS = 60_000;

/** Runs that the user deleted: they are only hidden until the time to undo is over. */
export interface Deletion {
  runIds: ReadonlySet<string>;
  /** When they are deleted for good, in milliseconds since the Unix epoch; null if none are waiting. */
  until: number | null;
  /** Why the last deletion failed. */
  problem: string | null;
}

const NOTHING: Deletion = { runIds: new Set(), until: null, problem: null };
const deletion = storeOf(NOTHING);

/** Hide runs and delete them when the time is over; it starts again for those that are already waiting. */
export function doom(runIds: Iterable<string>): void {
  deletion.set({ runIds: new Set([...deletion.get().runIds, ...runIds]), until: Date.now() + GRACE_MS, problem: null });
}

/** Show the hidden runs again: the user undid the deletion, or it failed. */
export function spare(problem: string | null = null): void {
  deletion.set({ ...NOTHING, problem });
}

/** End the time to undo; the runs stay hidden until the lists are refreshed. */
export function settle(): void {
  deletion.set({ ...deletion.get(), until: null });
}

/** The pending deletion. */
export function useDeletion(): Deletion {
  return useSyncExternalStore(deletion.subscribe, deletion.get);
}
