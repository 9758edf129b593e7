import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Run } from "@/api/client";
import { type Listing, runsPage, runsQuery } from "@/api/lists";
import { runSummary, traceSummary } from "@/api/queries";
import { LIVE, useLiveList } from "@/api/use-live-list";
import { type ItemRules, itemsOf } from "@/lib/list-pages";
import type { ListOrder } from "@/lib/sort";

const idOf = (run: Run) => run.run_id;

const RULES: ItemRules<Run> = {
  idOf,
  timeOf: (run) => run.start_time_unix_nano,
  valueOf(run, sort) {
    if (sort === "tokens") return run.input_tokens + run.output_tokens;
    return sort === "duration" ? run.duration_ms : run.cost_usd;
  },
  // A new label does not change `seq`, so compare labels too.
  isSame: ({ labels }, { labels: others }) =>
    labels.length === others.length && labels.every(({ label_id: id }, at) => id === others[at]?.label_id),
};

/** A live list of runs; `onChange` is called, less often, when figures about it may have changed. */
export function useLiveRuns(listing: Listing & ListOrder, onChange: () => Promise<unknown>) {
  const options = runsQuery(listing);
  const query = useInfiniteQuery({ ...options, ...LIVE });
  useLiveList<Run>({
    queryKey: options.queryKey,
    by: listing,
    rules: RULES,
    first: (place) => runsPage(listing, place),
    ownerOf: (span) => span.trace_id,
    ownerIn(run) {
      RUN_OF.set(run.trace_id, run.run_id);
      return run.trace_id;
    },
    itemOf: runOf,
    async item(runId) {
      const run = await runSummary(runId);
      return run && (listing.filter.status?.includes(run.status) ?? true) ? run : null;
    },
    onChange,
  });
  const runs = useMemo(() => itemsOf(query.data, idOf), [query.data]);
  return { query, runs };
}

/** The run of each trace, as far as known: streams only name traces. */
const RUN_OF = new Map<string, string>();
const MOST_KNOWN = 10_000;

async function runOf(traceId: string): Promise<string | null> {
  const known = RUN_OF.get(traceId);
  if (known !== undefined) return known;
  const runId = (await traceSummary(traceId))?.run_id ?? null;
  if (RUN_OF.size >= MOST_KNOWN) RUN_OF.clear();
  if (runId !== null) RUN_OF.set(traceId, runId);
  return runId;
}
