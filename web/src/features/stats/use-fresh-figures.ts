import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useStream } from "@/api/stream";
import { usePosition } from "@/api/use-position";
import { type Paced, paced } from "@/lib/pace";

/** The minimum time between two counts. */
const COUNT_MS = 5000;
const EVERYTHING = {};

/** Refreshes the figures while they are shown and spans change. */
export function useFreshFigures(): void {
  const queries = useQueryClient();
  const figures = useRef<Paced | null>(null);
  useEffect(() => {
    const next = paced(async () => {
      await Promise.all([
        queries.refetchQueries({ queryKey: ["stats"], type: "active" }),
        queries.refetchQueries({ queryKey: ["events", "top"], type: "active" }),
        queries.refetchQueries({ queryKey: ["runs", "top"], type: "active" }),
      ]);
    }, COUNT_MS);
    figures.current = next;
    return next.stop;
  }, [queries]);
  const ask = () => figures.current?.ask();
  useStream(EVERYTHING, usePosition(), { onSpans: ask, onGap: ask });
}
