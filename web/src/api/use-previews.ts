import { useEffect, useMemo, useState } from "react";
import type { Preview } from "./client";

/** A call whose preview is shown. */
export interface Previewed {
  /** Identifies it among the calls of the list. */
  key: string;
  /** The preview of a call that has not ended is loaded again when it has. */
  running: boolean;
}

/** Loads the previews of some calls, by their keys. */
export type LoadPreviews = (keys: readonly string[], signal: AbortSignal) => Promise<ReadonlyMap<string, Preview>>;

/** The preview of a call, and whether it had ended by then. */
interface Known {
  preview: Preview | null;
  ended: boolean;
}

/** Rows that scroll past are not loaded. */
const PAUSE_MS = 120;
const MOST = 150;
const MOST_KNOWN = 20_000;

/**
 * Inputs and outputs of the visible rows, by key; loaded shortly after scrolling stops.
 *
 * @param load Must not change while the list is the same; null if nothing can be loaded.
 */
export function usePreviews(inSight: readonly Previewed[], load: LoadPreviews | null): ReadonlyMap<string, Preview> {
  const [known, setKnown] = useState<ReadonlyMap<string, Known>>(new Map());
  const wanted = useMemo(() => {
    const isKnown = ({ key, running }: Previewed) => {
      const found = known.get(key);
      return found !== undefined && (found.ended || running);
    };
    return inSight.filter((row) => !isKnown(row)).slice(0, MOST);
  }, [inSight, known]);
  const words = wanted.map(({ key, running }) => `${key}${running ? "+" : ""}`).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the words say which rows are wanted
  useEffect(() => {
    if (load === null || wanted.length === 0) return;
    const leaving = new AbortController();
    const timer = window.setTimeout(async () => {
      const keys = wanted.map(({ key }) => key);
      const found = await load(keys, leaving.signal).catch(() => null);
      if (found === null) return;
      setKnown((before) => {
        const next = new Map(before.size > MOST_KNOWN ? [] : before);
        for (const { key, running } of wanted) next.set(key, { preview: found.get(key) ?? null, ended: !running });
        return next;
      });
    }, PAUSE_MS);
    return () => {
      window.clearTimeout(timer);
      leaving.abort();
    };
  }, [load, words]);
  return useMemo(() => {
    const found = new Map<string, Preview>();
    for (const [key, { preview }] of known) if (preview) found.set(key, preview);
    return found;
  }, [known]);
}
