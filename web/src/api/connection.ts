import { useSyncExternalStore } from "react";
import { BASE, isReadiness } from "./client";

/**
 * How the page stands with its server: `lost` while it does not answer, `signed-out` when it asks for a sign-in,
 * `crowded` when it answers but has no more live streams to give.
 */
export type Connection = "fine" | "lost" | "signed-out" | "crowded";

/** How long it waits between two looks for a server that is away, and for an answer. */
const PAUSE_MS = 1500;
const PATIENCE_MS = 5000;

let current: Connection = "fine";
let looking = false;
const listeners = new Set<() => void>();
const returned = new Set<() => void>();

/**
 * Say how the server answered last. While it is away it is looked for, from here alone; whoever waits for it is told
 * by `onReturn`.
 */
export function setConnection(next: Connection): void {
  if (next === current) return;
  const wasAway = isAway();
  current = next;
  for (const listener of listeners) listener();
  if (isAway()) void look();
  else if (wasAway) for (const listener of returned) listener();
}

/** Say that the server answered a question; whether it also gives a stream, only a stream can tell. */
export function answered(): void {
  if (current !== "crowded") setConnection("fine");
}

export function connection(): Connection {
  return current;
}

/** Whether there is nobody to ask. */
export function isAway(): boolean {
  return current === "lost" || current === "signed-out";
}

export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, connection);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Be told whenever the server is back that was away, until the returned function is called. */
export function onReturn(listener: () => void): () => void {
  returned.add(listener);
  return () => returned.delete(listener);
}

/** Ask the server once how it is, note it, and tell whether it answers. */
export async function isThere(): Promise<boolean> {
  const found = await probe(AbortSignal.timeout(PATIENCE_MS));
  // What is wrong with a server that says so is shown apart: it does answer.
  if (found === "fine" || found === "troubled") answered();
  else setConnection(found);
  return !isAway();
}

/** One look after the other: a server that hangs would have each of the browser's connections. */
async function look(): Promise<void> {
  if (looking) return;
  looking = true;
  while (isAway()) {
    await new Promise((done) => setTimeout(done, PAUSE_MS));
    if (isAway()) await isThere();
  }
  looking = false;
}

/** Ask the server how it is; a 503 without its own account, as of a proxy or of a server that ends, is none of its. */
export async function probe(signal: AbortSignal): Promise<"fine" | "troubled" | "lost" | "signed-out"> {
  try {
    const answer = await fetch(`${BASE}readyz`, { credentials: "same-origin", signal });
    if (answer.ok) return "fine";
    if (answer.status === 503) return isReadiness(await answer.json()) ? "troubled" : "lost";
    return answer.status === 401 || answer.status === 403 ? "signed-out" : "lost";
  } catch {
    return "lost";
  }
}
