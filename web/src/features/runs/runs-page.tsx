import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useRouter, useSearch } from "@tanstack/react-router";
import { Layers } from "lucide-react";
import { useCallback, useEffect, useMemo, useState } from "react";
import type { Trace } from "@/api/client";
import { deleteTrace, sessionQuery, statsQuery } from "@/api/queries";
import { useSuggest } from "@/api/use-suggest";
import { changed, FILTER_FIELDS } from "@/lib/conditions";
import { type Filter, isNarrow } from "@/lib/filter";
import { clock, plural } from "@/lib/format";
import type { RunOrder } from "@/lib/run-pages";
import { itemsOf } from "@/lib/session-groups";
import { unixMs } from "@/lib/time";
import { visibleLine } from "@/lib/visible";
import { Button } from "@/ui/button";
import { Confirm } from "@/ui/confirm";
import { FilterBar } from "@/ui/filter-bar";
import { Failure, Skeleton } from "@/ui/notice";
import { PageTitle } from "@/ui/page-title";
import { Missing } from "./missing";
import { NoMatch, NoRuns } from "./nothing";
import { Overview } from "./overview";
import { RunsList } from "./runs-list";
import css from "./runs-page.module.css";
import { SessionHead } from "./session-head";
import { filterIn, orderIn, type RunsSearch, runsSearch, sortedBy } from "./url";
import { useLiveRuns } from "./use-live-runs";
import { useRunsCommands } from "./use-runs-commands";

const BUCKETS = 72;

/** Every run, the newest first, as they happen. */
export function RunsPage() {
  const search = useSearch({ from: "/", select: (search) => runsSearch({ ...search }), structuralSharing: true });
  const navigate = useNavigate({ from: "/" });
  const queries = useQueryClient();
  const filter = useMemo(() => filterIn(search), [search]);
  const by = useMemo(() => orderIn(search), [search]);
  const suggest = useSuggest(filter);
  const [doomed, setDoomed] = useState<Trace | null>(null);

  const figures = statsQuery({ filter, buckets: BUCKETS, by: "status", of: "traces" });
  const { query, runs, remove } = useLiveRuns({ filter, ...by }, () =>
    Promise.all([
      queries.refetchQueries({ queryKey: figures.queryKey, exact: true }),
      filter.session_id && queries.refetchQueries({ queryKey: sessionQuery(filter.session_id).queryKey, exact: true }),
    ]),
  );
  // The figures look at every run there is; the server gives the rows its whole attention first.
  const stats = useQuery({ ...figures, placeholderData: (before) => before, enabled: !query.isPending });

  const show = (next: Filter, typing = false) => {
    const { sort, order, group } = search;
    const kept: RunsSearch = { ...next, ...(sort && { sort }), ...(order && { order }), ...(group && { group }) };
    void navigate({ search: kept, replace: typing });
  };
  const grouped = search.group === "session";
  const group = () => void navigate({ search: { ...search, group: grouped ? undefined : "session" } as RunsSearch });
  useRunsCommands({ filter, onFilter: show, grouped, onGroup: group });
  // A page can be empty and yet name a next one: the server had no index for the filter, and its time was over.
  const looking = runs.length === 0 && query.hasNextPage && !query.isFetchNextPageError;
  const nothing = query.isSuccess && runs.length === 0 && !query.hasNextPage;
  const { fetchNextPage, isFetchingNextPage } = query;
  useEffect(() => {
    if (looking && !isFetchingNextPage) void fetchNextPage();
  }, [looking, isFetchingNextPage, fetchNextPage]);

  return (
    <div className={css.page}>
      <PageTitle title="Runs" />
      <Missing />
      <FilterBar
        filter={filter}
        fields={FILTER_FIELDS}
        onChange={show}
        suggest={suggest}
        placeholder="Search prompts, answers, arguments, errors"
        notice={query.data?.pages[0]?.notice}
      >
        <Button pressed={grouped} onClick={group}>
          <Layers size={14} aria-hidden />
          Group by session
        </Button>
      </FilterBar>
      {filter.session_id && <SessionHead key={filter.session_id} sessionId={filter.session_id} />}
      {!(nothing && !isNarrow(filter)) && (
        <Overview
          stats={stats.data}
          failed={stats.isError}
          search={search}
          onRange={(range) => show(changed(filter, range ?? { since: undefined, until: undefined }))}
        />
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
        <Listed key={JSON.stringify([filter, by])} {...{ query, runs, by, grouped, search }} onDelete={setDoomed} />
      )}
      <DeleteRun run={doomed} onClose={() => setDoomed(null)} onDeleted={remove} />
    </div>
  );
}

interface ListedProps {
  query: ReturnType<typeof useLiveRuns>["query"];
  runs: Trace[];
  by: RunOrder;
  grouped: boolean;
  search: RunsSearch;
  onDelete: (run: Trace) => void;
}

function Listed({ query, runs, by, grouped, search, onDelete }: ListedProps) {
  const navigate = useNavigate({ from: "/" });
  const router = useRouter();
  const { q } = search;
  const [folded, setFolded] = useState<ReadonlySet<string | null>>(new Set());
  const items = useMemo(() => itemsOf(runs, grouped, folded), [runs, grouped, folded]);
  const { fetchNextPage, hasNextPage, isFetchingNextPage, isFetchNextPageError } = query;

  const fold = useCallback((sessionId: string | null) => {
    setFolded((before) => {
      const next = new Set(before);
      if (!next.delete(sessionId)) next.add(sessionId);
      return next;
    });
  }, []);
  const open = useCallback(
    (traceId: string, elsewhere: boolean) => {
      const target = { to: "/traces/$traceId", params: { traceId }, search: q ? { find: q } : {} } as const;
      if (elsewhere) window.open(router.history.createHref(router.buildLocation(target).href), "_blank", "noopener");
      else void navigate(target);
    },
    [navigate, router, q],
  );

  return (
    <RunsList
      items={items}
      by={by}
      q={q}
      more={!hasNextPage ? "none" : isFetchingNextPage ? "coming" : isFetchNextPageError ? "failed" : "there"}
      onMore={useCallback(() => void fetchNextPage(), [fetchNextPage])}
      onSort={(column) => void navigate({ search: sortedBy(search, column) })}
      onFold={fold}
      onOpen={open}
      onDelete={onDelete}
    />
  );
}

interface DeleteProps {
  run: Trace | null;
  onClose: () => void;
  onDeleted: (traceId: string) => void;
}

function DeleteRun({ run, onClose, onDeleted }: DeleteProps) {
  async function go() {
    if (!run) return;
    await deleteTrace(run.trace_id);
    onDeleted(run.trace_id);
  }
  return (
    <Confirm open={run !== null} onClose={onClose} title="Delete this run?" action="Delete run" run={go}>
      {run && (
        <>
          <strong>
            <bdi>{visibleLine(run.name)}</bdi>
          </strong>{" "}
          of {clock(unixMs(run.start_time_unix_nano))} and its {plural(run.spans, "span")} are removed for good.
        </>
      )}
    </Confirm>
  );
}
