import { useSyncExternalStore } from "react";

/**
 * How the page stands with its server: `lost` while it does not answer, `signed-out` when it asks for a sign-in,
 * `crowded` when it answers but has no more live streams to give.
 */
export type Connection = "fine" | "lost" | "signed-out" | "crowded";

let current: Connection = "fine";
const listeners = new Set<() => void>();

/** Say how the server answered last. */
export function setConnection(next: Connection): void {
  if (next === current) return;
  current = next;
  for (const listener of listeners) listener();
}

/** Say that the server answered a question; whether it also gives a stream, only a stream can tell. */
export function answered(): void {
  if (current !== "crowded") setConnection("fine");
}

export function connection(): Connection {
  return current;
}

export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, connection);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
