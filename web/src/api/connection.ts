import { useSyncExternalStore } from "react";
import { listenersOf, storeOf } from "@/lib/store";
import { BASE, isReadiness } from "./client";

/**
 * The state of the connection to the server: `lost` while it does not answer, `signed-out` if it asks for a sign-in,
 * `crowded` if it answers but has no more live streams to give.
 */
export type Connection = "fine" | "lost" | "signed-out" | "crowded";

/** How long to wait between two attempts to reach a lost server, and for an answer. */
const PAUSE_MS = 1500;
const PATIENCE_MS = 5000;

const state = storeOf<Connection>("fine");
const returned = listenersOf();
let looking = false;

/**
 * Note how the server answered last. While it is lost, only this module tries to reach it; `onReturn` tells everybody
 * else.
 */
export function setConnection(next: Connection): void {
  if (next === state.get()) return;
  const wasAway = isAway();
  state.set(next);
  if (isAway()) void look();
  else if (wasAway) returned.tell();
}

/** Note that the server answered a request; only a stream can tell whether it also gives streams. */
export function answered(): void {
  if (state.get() !== "crowded") setConnection("fine");
}

export const connection = state.get;

/** Whether no server can be reached. */
export function isAway(): boolean {
  return state.get() === "lost" || state.get() === "signed-out";
}

export function useConnection(): Connection {
  return useSyncExternalStore(state.subscribe, connection);
}

/** Call back whenever a lost server returns, until the returned function is called. */
export const onReturn = returned.add;

/** Ask the server once for its state, note it, and return whether it answers. */
export async function isThere(): Promise<boolean> {
  const found = await probe(AbortSignal.timeout(PATIENCE_MS));
  // A server that reports problems does answer; `Trouble` shows them.
  if (found === "fine" || found === "troubled") answered();
  else setConnection(found);
  return !isAway();
}

/** One attempt after the other: a server that hangs would otherwise hold all connections of the browser. */
async function look(): Promise<void> {
  if (looking) return;
  looking = true;
  while (isAway()) {
    await new Promise((done) => setTimeout(done, PAUSE_MS));
    if (isAway()) await isThere();
  }
  looking = false;
}

/** Ask the server for its state; a 503 without its own report comes from a proxy, or from a server that is stopping. */
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
