import { useSyncExternalStore } from "react";

/** How the page stands with its server: `lost` while it does not answer, `signed-out` when it asks for a sign-in. */
export type Connection = "fine" | "lost" | "signed-out";

let current: Connection = "fine";
const listeners = new Set<() => void>();

/** Say how the server answered last. */
export function setConnection(next: Connection): void {
  if (next === current) return;
  current = next;
  for (const listener of listeners) listener();
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
