import { useEffect, useMemo, useState } from "react";
import type { Preview } from "@/api/client";
import { previewsOf } from "@/api/queries";
import type { SpanRow } from "@/lib/spans";

/** The preview of a call in a line, and whether it had ended by then. */
interface Known {
  preview: Preview | null;
  ended: boolean;
}

/** Rows that scroll past are not loaded. */
const PAUSE_MS = 120;
const MOST = 150;
const MOST_KNOWN = 20_000;

/** Inputs and outputs of the visible rows, by span id; loaded shortly after scrolling stops. */
export function usePreviews(runId: string | null, inSight: readonly SpanRow[]): ReadonlyMap<string, Preview> {
  const [known, setKnown] = useState<ReadonlyMap<string, Known>>(new Map());
  const wanted = useMemo(() => {
    const isKnown = (row: SpanRow) => {
      const found = known.get(row.id);
      return found !== undefined && (found.ended || row.status === "running");
    };
    return inSight.filter((row) => !row.inferred && !isKnown(row)).slice(0, MOST);
  }, [inSight, known]);
  const key = wanted.map(({ id, status }) => `${id}${status === "running" ? "+" : ""}`).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says which rows are wanted
  useEffect(() => {
    if (runId === null || wanted.length === 0) return;
    const leaving = new AbortController();
    const timer = window.setTimeout(async () => {
      const ids = wanted.map(({ id }) => id);
      const items = await previewsOf(runId, ids, leaving.signal).catch(() => null);
      if (items === null) return;
      const byId = new Map(items.map((item) => [item.span_id, item]));
      setKnown((before) => {
        const next = new Map(before.size > MOST_KNOWN ? [] : before);
        for (const row of wanted) {
          next.set(row.id, { preview: byId.get(row.id) ?? null, ended: row.status !== "running" });
        }
        return next;
      });
    }, PAUSE_MS);
    return () => {
      window.clearTimeout(timer);
      leaving.abort();
    };
  }, [runId, key]);
  return useMemo(() => {
    const found = new Map<string, Preview>();
    for (const [id, { preview }] of known) if (preview) found.set(id, preview);
    return found;
  }, [known]);
}
