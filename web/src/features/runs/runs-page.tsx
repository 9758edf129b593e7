import { useQuery, useQueryClient } from "@tanstack/react-query";
import { GitCompareArrows, Trash2 } from "lucide-react";
import { useCallback, useEffect, useMemo } from "react";
import type { Run } from "@/api/client";
import { refreshLabels, toggleVerdict } from "@/api/labels";
import { sessionQuery, statsQuery } from "@/api/queries";
import { useSuggest } from "@/api/use-suggest";
import type { ChangeAddress } from "@/lib/address";
import { changed } from "@/lib/conditions";
import { type Filter, isNarrow } from "@/lib/filter";
import { plural } from "@/lib/format";
import { type ListOrder, orderIn, sortedBy } from "@/lib/sort";
import { unixMs } from "@/lib/time";
import { Button } from "@/ui/button";
import { FilterBar } from "@/ui/filter-bar";
import { Failure, Skeleton } from "@/ui/notice";
import { PageTitle } from "@/ui/page-title";
import { useNotice } from "@/ui/use-notice";
import { moreOf } from "@/ui/virtual-grid";
import { doom, useDeletion } from "./deletion";
import { FailedBy } from "./failed-by";
import { Missing } from "./missing";
import { NoMatch, NoRuns } from "./nothing";
import { Overview } from "./overview";
import { RunsList } from "./runs-list";
import css from "./runs-page.module.css";
import { SessionHead } from "./session-head";
import { filterIn, type RunsSearch, soughtIn } from "./url";
import { useLiveRuns } from "./use-live-runs";
import { useRunsCommands } from "./use-runs-commands";
import { useSelection } from "./use-selection";

const BUCKETS = 72;

interface Props {
  search: RunsSearch;
  change: ChangeAddress<RunsSearch>;
  /** Open a run, here or in another tab, at the searched words. */
  onOpen: (runId: string, find: string | undefined, elsewhere: boolean) => void;
  /** Compare two runs, or one with the previous run of its program. */
  onCompare: (a: string | undefined, b: string) => void;
  /** Go to the sessions. */
  onLeave: () => Promise<void>;
}

/** All runs, live, newest first by default. */
export function RunsPage({ search, change, onOpen, onCompare, onLeave }: Props) {
  const queries = useQueryClient();
  const filter = useMemo(() => filterIn(search), [search]);
  const by = useMemo(() => orderIn(search), [search]);
  const suggest = useSuggest(filter);

  const figures = statsQuery({ filter, buckets: BUCKETS, by: "status", of: "runs" });
  const { query, runs: found } = useLiveRuns({ filter, ...by }, () =>
    Promise.all([
      queries.refetchQueries({ queryKey: figures.queryKey, exact: true }),
      filter.session_id && queries.refetchQueries({ queryKey: sessionQuery(filter.session_id).queryKey, exact: true }),
    ]),
  );
  const { runIds: doomed } = useDeletion();
  const runs = useMemo(() => (doomed.size ? found.filter((run) => !doomed.has(run.run_id)) : found), [found, doomed]);
  // The figures count all runs and take the server long: load the rows first.
  const stats = useQuery({ ...figures, placeholderData: (before) => before, enabled: !query.isPending });

  const show = (next: Filter, typing = false) => {
    const { sort, order } = search;
    const kept: RunsSearch = { ...next, ...(sort && { sort }), ...(order && { order }) };
    void change(() => kept, typing);
  };
  useRunsCommands({ filter, onFilter: show });
  // A page can be empty and still have a next one: the server had no index for the filter and ran out of time.
  const looking = runs.length === 0 && query.hasNextPage && !query.isFetchNextPageError;
  const nothing = query.isSuccess && runs.length === 0 && !query.hasNextPage;
  const { fetchNextPage, isFetchingNextPage } = query;
  const list = JSON.stringify([filter, by]);
  const notice = useNotice(search, query.data?.pages[0]?.notice);
  useEffect(() => {
    if (looking && !isFetchingNextPage) void fetchNextPage();
  }, [looking, isFetchingNextPage, fetchNextPage]);

  return (
    <div className={css.page}>
      <PageTitle title="Runs" />
      <Missing />
      <FilterBar
        filter={filter}
        onChange={show}
        suggest={suggest}
        placeholder="Search prompts, answers, arguments, errors"
        notice={notice}
      />
      {filter.session_id && <SessionHead key={filter.session_id} sessionId={filter.session_id} onLeave={onLeave} />}
      {!(nothing && !isNarrow(filter)) && (
        <Overview
          stats={stats.data}
          failed={stats.isError}
          search={search}
          deleted={found.length - runs.length}
          listsReplays={runs.some((run) => run.replay_of !== undefined)}
          onRange={(range) => show(changed(filter, range ?? { since: undefined, until: undefined }))}
        />
      )}
      {filter.status?.includes("error") && filter.error_type === undefined && (
        <FailedBy filter={filter} search={search} enabled={!query.isPending} />
      )}
      {query.isPending || looking ? (
        <Skeleton rows={12} />
      ) : query.isError && runs.length === 0 ? (
        <Failure error={query.error} retry={() => void query.refetch()} />
      ) : nothing ? (
        isNarrow(filter) ? (
          <NoMatch onClear={() => show({})} />
        ) : (
          <NoRuns />
        )
      ) : (
        <Listed key={list} {...{ list, query, runs, by, search, change, onOpen, onCompare }} />
      )}
    </div>
  );
}

interface ListedProps extends Pick<Props, "search" | "change" | "onOpen" | "onCompare"> {
  list: string;
  query: ReturnType<typeof useLiveRuns>["query"];
  runs: Run[];
  by: ListOrder;
}

function Listed({ list, query, runs, by, search, change, onOpen, onCompare }: ListedProps) {
  const queries = useQueryClient();
  const sought = soughtIn(search);
  const keys = useMemo(() => runs.map((run) => run.run_id), [runs]);
  const selection = useSelection(keys);
  const open = useCallback((runId: string, elsewhere: boolean) => onOpen(runId, sought, elsewhere), [onOpen, sought]);

  const pair = runs.filter(({ run_id }) => selection.keys.has(run_id)).sort(byStart);
  function compare(run?: Run) {
    const [a, b] = pair;
    if (a && b && pair.length === 2) onCompare(a.run_id, b.run_id);
    else if (run && pair.length < 2) onCompare(undefined, run.run_id);
  }

  async function judge(run: Run, name: "good" | "bad") {
    const own = run.labels.filter((label) => label.span_id === null);
    // The row shows whether it worked.
    await toggleVerdict({ run_id: run.run_id }, own, name).catch(() => {});
    refreshLabels(queries);
  }

  return (
    <>
      {selection.keys.size > 0 && (
        <SelectionBar
          count={selection.keys.size}
          onCompare={pair.length === 2 ? () => compare() : null}
          onDelete={() => doom(selection.keys)}
          onClear={() => selection.all(false)}
        />
      )}
      <RunsList
        runs={runs}
        keys={keys}
        list={list}
        by={by}
        q={sought}
        more={moreOf(query)}
        onMore={query.fetchNextPage}
        onSort={(column) => void change((before) => sortedBy(before, column))}
        onOpen={open}
        selection={selection}
        onDelete={doom}
        onCompare={compare}
        onJudge={(run, name) => void judge(run, name)}
      />
    </>
  );
}

function byStart(a: Run, b: Run): number {
  return unixMs(a.start_time_unix_nano) - unixMs(b.start_time_unix_nano);
}

interface SelectionProps {
  count: number;
  /** Null unless exactly two are selected. */
  onCompare: (() => void) | null;
  onDelete: () => void;
  onClear: () => void;
}

/** The actions for the selected runs. */
function SelectionBar({ count, onCompare, onDelete, onClear }: SelectionProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for inputs
    <div className={css.selection} role="group" aria-label="Selected runs">
      {plural(count, "run")} selected
      {onCompare && (
        <Button onClick={onCompare}>
          <GitCompareArrows size={14} aria-hidden />
          Compare
        </Button>
      )}
      <Button onClick={onDelete}>
        <Trash2 size={14} aria-hidden />
        Delete {plural(count, "run")}
      </Button>
      <Button look="plain" onClick={onClear}>
        Clear the selection
      </Button>
    </div>
  );
}
