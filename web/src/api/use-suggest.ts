import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import type { SuggestedField } from "@/lib/conditions";
import type { Filter } from "@/lib/filter";
import { statsQuery } from "./queries";

/** Suggests the values of a field, the most frequent first, within the time range of a list. */
export function useSuggest({ since, until }: Filter): (field: SuggestedField) => Promise<string[]> {
  const queries = useQueryClient();
  return useCallback(
    async (field) => {
      const filter = { ...(since && { since }), ...(until && { until }), replays: "true" as const };
      // Labels of runs, which include those of their spans.
      const of = field === "label" ? "runs" : "events";
      const { groups } = await queries.fetchQuery({ ...statsQuery({ filter, by: field, of }), staleTime: 30_000 });
      return groups.flatMap(({ key }) => key ?? []);
    },
    [queries, since, until],
  );
}
