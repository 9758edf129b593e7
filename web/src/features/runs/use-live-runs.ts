import { type QueryClient, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useMemo, useRef } from "react";
import { type Listing, runSummary, runsPage, runsQuery, traceSummary } from "@/api/queries";
import { type ChangedTraces, isUpTo, settled, useLiveEdge } from "@/api/use-live-edge";
import { type Paced, paced } from "@/lib/pace";
import { type RunOrder, runsOf, withFirstPage, withoutRun, withRun } from "@/lib/run-pages";

type RunListing = Listing & RunOrder;
type Note = (traces: ChangedTraces, asOf: number | null) => void;

/** How often the list asks at most; the first change after a quiet time shows at once. */
const LIST_PAUSE_MS = 300;
const FIGURES_PAUSE_MS = 2000;
/** How many runs below the first page are asked for anew at a time. */
const MOST_RENEWED = 16;

/** A list of runs that follows what happens; `onChange` is called, at a calmer pace, when figures about it changed too. */
export function useLiveRuns(listing: RunListing, onChange: () => Promise<unknown>) {
  const queries = useQueryClient();
  const query = useInfiniteQuery({
    ...runsQuery(listing),
    // Live changes are put in as they come; asking for every page again would take longer the further one scrolled.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    structuralSharing: false,
  });
  const pace = useRef<{ list: Paced; figures: Paced; note: Note } | null>(null);
  const changedFigures = useEffectEvent(onChange);
  const key = JSON.stringify(listing);

  useEffect(() => {
    const asked: RunListing = JSON.parse(key);
    const stale = new Set<string>();
    let begins: number | null = null;
    const figures = paced(() => changedFigures(), FIGURES_PAUSE_MS);
    const list = paced(async () => {
      if (begins !== null && (await isUpTo(queries, runsQuery(asked).queryKey, begins))) return;
      figures.ask();
      await refresh(queries, asked, stale);
    }, LIST_PAUSE_MS);
    const note: Note = (traces, asOf) => {
      begins = asOf;
      for (const traceId of traces ?? unfinished(queries, asked)) stale.add(traceId);
    };
    pace.current = { list, figures, note };
    if (queries.getQueryData(runsQuery(asked).queryKey)) list.ask();
    return () => {
      list.stop();
      figures.stop();
    };
  }, [queries, key]);

  useLiveEdge({
    onChange(traces, asOf) {
      pace.current?.note(traces, asOf);
      pace.current?.list.ask();
    },
  });

  const runs = useMemo(() => runsOf(query.data), [query.data]);
  return { query, runs };
}

/** Bring the first page up to date, then those of the changed runs that stand below it. */
async function refresh(queries: QueryClient, listing: RunListing, stale: Set<string>): Promise<void> {
  await refreshFirst(queries, listing);
  const { queryKey } = runsQuery(listing);
  const [first, ...others] = queries.getQueryData(queryKey)?.pages ?? [];
  const below = new Set(others.flatMap((page) => page.items).map((run) => run.run_id));
  for (const run of first?.items ?? []) {
    RUN_OF.set(run.trace_id, run.run_id);
    below.delete(run.run_id);
  }
  const traces = [...stale];
  stale.clear();
  if (below.size === 0) return;
  for (const traceId of traces.slice(MOST_RENEWED)) stale.add(traceId);
  const changed = await Promise.all(traces.slice(0, MOST_RENEWED).map(belongingTo));
  await Promise.all(
    [...new Set(changed)].map(async (runId) => {
      if (runId === null || !below.has(runId)) return;
      const run = await runSummary(runId);
      const fits = run && (listing.filter.status?.includes(run.status) ?? true);
      queries.setQueryData(queryKey, (known) => (fits ? withRun(known, run) : withoutRun(known, runId)));
    }),
  );
}

/** Which run a trace belongs to, as far as it was asked: streams tell traces. */
const RUN_OF = new Map<string, string>();
const MOST_KNOWN = 10_000;

async function belongingTo(traceId: string): Promise<string | null> {
  const known = RUN_OF.get(traceId);
  if (known !== undefined) return known;
  const runId = (await traceSummary(traceId))?.run_id ?? null;
  if (RUN_OF.size >= MOST_KNOWN) RUN_OF.clear();
  if (runId !== null) RUN_OF.set(traceId, runId);
  return runId;
}

/** The first traces of the runs of a list that may have changed unheard. */
function unfinished(queries: QueryClient, listing: RunListing): string[] {
  const pages = queries.getQueryData(runsQuery(listing).queryKey)?.pages ?? [];
  return pages.flatMap((page) => page.items.filter((run) => run.status === "running").map((run) => run.trace_id));
}

/** Ask for the first page alone and put it over what is there, unless a page is under way: then after it. */
async function refreshFirst(queries: QueryClient, listing: RunListing): Promise<void> {
  const { queryKey } = runsQuery(listing);
  for (;;) {
    await settled(queries, queryKey);
    const pages = queries.getQueryData(queryKey)?.pages ?? [];
    // Later pages hang on cursors, and those on the moment that relative times count back from.
    const nowMs = (pages.length > 1 && pages[0]?.nowMs) || Date.now();
    const page = await runsPage(listing, { cursor: null, nowMs });
    if (queries.isFetching({ queryKey, exact: true })) continue;
    queries.setQueryData(queryKey, (known) => withFirstPage(known, page, listing));
    return;
  }
}
