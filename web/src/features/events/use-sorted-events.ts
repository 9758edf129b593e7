import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { eventsQuery } from "@/api/lists";
import type { Filter } from "@/lib/filter";
import type { Sort } from "@/lib/sort";
import { moreOf } from "@/ui/virtual-grid";
import type { EventList } from "./event-list";

/** The events that match a filter, by duration, tokens or cost; not live. */
export function useSortedEvents(filter: Filter, sort: Sort, order: "asc" | undefined): EventList {
  const query = useInfiniteQuery({
    ...eventsQuery({ filter, sort, ...(order && { order }) }),
    // Rows that jump while somebody reads them are worse than rows that are a minute old.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnMount: "always",
  });
  const rows = useMemo(() => query.data?.pages.flatMap(({ items }) => items) ?? [], [query.data]);
  return {
    rows,
    loading: query.isPending,
    error: query.isLoadingError ? query.error : null,
    retry: () => void query.refetch(),
    older: moreOf(query),
    notice: query.data?.pages[0]?.notice,
    loadOlder: () => void query.fetchNextPage(),
  };
}
