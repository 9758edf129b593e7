import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useState } from "react";
import { readinessQuery } from "./queries";
import { useStream } from "./stream";

const EVERYTHING = {};

/** Which traces changed; null where that is not known. */
export type ChangedTraces = ReadonlySet<string> | null;

/**
 * Tells when anything changes in the store, and in which traces.
 *
 * It also tells once at the beginning, when it knows from which change on it listens: whatever was asked for before that
 * may have missed something.
 */
export function useLiveEdge({ onChange }: { onChange: (traces: ChangedTraces) => void }): void {
  const queries = useQueryClient();
  const [after, setAfter] = useState<number | null>();
  const changed = useEffectEvent(onChange);
  useEffect(() => {
    let here = true;
    queries
      .fetchQuery({ ...readinessQuery, staleTime: 0 })
      .then(({ seq }) => seq)
      .catch(() => null)
      .then((seq) => {
        if (!here) return;
        setAfter(seq);
        changed(null);
      });
    return () => {
      here = false;
    };
  }, [queries]);
  useStream(EVERYTHING, after, {
    onSpans: (spans) => onChange(new Set(spans.map((span) => span.trace_id))),
    onGap: () => onChange(null),
  });
}
