import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { readinessQuery } from "@/api/queries";
import { type Paced, paced } from "@/lib/pace";

/** How often it is asked whether anything changed, and how often figures are counted anew at most. */
const LOOK_MS = 3000;
const COUNT_MS = 5000;

/** Counts the figures anew while they are shown and something new was recorded. */
export function useFreshFigures(): void {
  const queries = useQueryClient();
  const { data } = useQuery({ ...readinessQuery, refetchInterval: LOOK_MS });
  const seen = useRef<number | undefined>(undefined);
  const job = useRef<Paced | null>(null);
  useEffect(() => {
    const made = paced(async () => {
      await Promise.all([
        queries.refetchQueries({ queryKey: ["stats"], type: "active" }),
        queries.refetchQueries({ queryKey: ["events", "top"], type: "active" }),
        queries.refetchQueries({ queryKey: ["runs", "top"], type: "active" }),
      ]);
    }, COUNT_MS);
    job.current = made;
    return () => made.stop();
  }, [queries]);
  const seq = data?.seq;
  useEffect(() => {
    if (seq !== undefined && seen.current !== undefined && seq !== seen.current) job.current?.ask();
    seen.current = seq;
  }, [seq]);
}
