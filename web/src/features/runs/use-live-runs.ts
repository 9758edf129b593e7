import { type QueryClient, type QueryKey, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useEffectEvent, useMemo, useRef } from "react";
import { type Listing, tracesPage, tracesQuery } from "@/api/queries";
import { useLiveEdge } from "@/api/use-live-edge";
import { type Paced, paced } from "@/lib/pace";
import { type RunOrder, runsOf, withFirstPage, withoutRun } from "@/lib/run-pages";

type RunListing = Listing & RunOrder;

/** How often the list asks at most; the first change after a quiet time shows at once. */
const LIST_PAUSE_MS = 300;
const FIGURES_PAUSE_MS = 2000;

/** A list of runs that follows what happens; `onChange` is called, at a calmer pace, when figures about it changed too. */
export function useLiveRuns(listing: RunListing, onChange: () => Promise<unknown>) {
  const queries = useQueryClient();
  const query = useInfiniteQuery({
    ...tracesQuery(listing),
    // Live changes are put in as they come; asking for every page again would take longer the further one scrolled.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    structuralSharing: false,
  });
  const pace = useRef<{ list: Paced; figures: Paced } | null>(null);
  const changedFigures = useEffectEvent(onChange);
  const key = JSON.stringify(listing);

  useEffect(() => {
    const asked: RunListing = JSON.parse(key);
    const list = paced(() => refreshFirst(queries, asked), LIST_PAUSE_MS);
    const figures = paced(() => changedFigures(), FIGURES_PAUSE_MS);
    pace.current = { list, figures };
    if (queries.getQueryData(tracesQuery(asked).queryKey)) list.ask();
    return () => {
      list.stop();
      figures.stop();
    };
  }, [queries, key]);

  useLiveEdge({
    onChange() {
      pace.current?.list.ask();
      pace.current?.figures.ask();
    },
  });

  const remove = useCallback(
    (traceId: string) => {
      queries.setQueryData(tracesQuery(JSON.parse(key)).queryKey, (known) => withoutRun(known, traceId));
      pace.current?.figures.ask();
    },
    [queries, key],
  );
  const runs = useMemo(() => runsOf(query.data), [query.data]);
  return { query, runs, remove };
}

/** Ask for the first page alone and put it over what is there, unless a page is under way: then after it. */
async function refreshFirst(queries: QueryClient, listing: RunListing): Promise<void> {
  const { queryKey } = tracesQuery(listing);
  for (;;) {
    await settled(queries, queryKey);
    const pages = queries.getQueryData(queryKey)?.pages ?? [];
    // Later pages hang on cursors, and those on the moment that relative times count back from.
    const nowMs = (pages.length > 1 && pages[0]?.nowMs) || Date.now();
    const page = await tracesPage(listing, { cursor: null, nowMs });
    if (queries.isFetching({ queryKey, exact: true })) continue;
    queries.setQueryData(queryKey, (known) => withFirstPage(known, page, listing));
    return;
  }
}

async function settled(queries: QueryClient, queryKey: QueryKey): Promise<void> {
  while (queries.isFetching({ queryKey, exact: true })) await new Promise((done) => setTimeout(done, 30));
}
