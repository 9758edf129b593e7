import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import { ChartNoAxesColumn, Table2 } from "lucide-react";
import { useMemo } from "react";
import { statsQuery } from "@/api/queries";
import { useRunName } from "@/api/use-run-name";
import { useSuggest } from "@/api/use-suggest";
import type { ChangeAddress } from "@/lib/address";
import type { Grouping } from "@/lib/figures";
import { callsCounted, runsCounted } from "@/lib/figures";
import { type Filter, filterOf, isNarrow, isOfTime, type Search } from "@/lib/filter";
import { plural } from "@/lib/format";
import { Button } from "@/ui/button";
import { useCommands } from "@/ui/commands";
import { FilterBar } from "@/ui/filter-bar";
import { Empty, Failure, Skeleton } from "@/ui/notice";
import { PageTitle } from "@/ui/page-title";
import { useNotice } from "@/ui/use-notice";
import type { Of } from "./behind";
import { Charts } from "./charts";
import { Headline } from "./headline";
import { Split, splitQuery } from "./split";
import css from "./stats-page.module.css";
import { StoragePanel } from "./storage-panel";
import { TopEvents } from "./top-events";
import { type StatsSearch, withFilter } from "./url";
import { useFreshFigures } from "./use-fresh-figures";

const SLICES = 60;
const SPLITS: Record<Of, readonly Grouping[]> = {
  events: ["model", "tool", "agent", "error_type", "kind", "service", "label"],
  runs: ["name", "agent", "status", "service", "label"],
};

/** Figures: totals, over time, and split by fields; each links to the events or runs behind it. */
export function StatsPage({ search, change }: { search: StatsSearch; change: ChangeAddress<StatsSearch> }) {
  const text = JSON.stringify(filterOf(search as Search));
  const filter = useMemo<Filter>(() => JSON.parse(text), [text]);
  const suggest = useSuggest(filter);
  const runName = useRunName(filter);
  const of: Of = search.of ?? "events";
  useFreshFigures();
  const show = (changes: (before: StatsSearch) => StatsSearch) => void change(changes, true);
  const count = (next: Of) => show(({ of: _of, ...rest }) => (next === "runs" ? { ...rest, of: next } : rest));
  useCommands([
    {
      id: "count",
      title: of === "runs" ? "Count single calls" : "Count whole runs",
      run: () => count(of === "runs" ? "events" : "runs"),
    },
    { id: "failed only", title: "Show errors only", run: () => show((before) => ({ ...before, status: ["error"] })) },
  ]);
  const figures = useQuery(wholeFigures(filter, of));
  const notice = useNotice(search, figures.data?.notice);
  return (
    <>
      <PageTitle title="Stats" />
      <FilterBar
        filter={filter}
        suggest={suggest}
        runName={runName}
        notice={notice}
        onChange={(next, typing) => void change((before) => withFilter(before, next), typing)}
      >
        <fieldset className={css.of}>
          <legend className="visually-hidden">What is counted</legend>
          <Button pressed={of === "events"} onClick={() => count("events")}>
            Calls
          </Button>
          <Button pressed={of === "runs"} onClick={() => count("runs")}>
            Runs
          </Button>
        </fieldset>
      </FilterBar>
      <Body filter={filter} of={of} search={search} show={show} />
    </>
  );
}

function wholeFigures(filter: Filter, of: Of) {
  return { ...statsQuery({ filter, of, buckets: SLICES }), placeholderData: keepPreviousData };
}

interface BodyProps {
  filter: Filter;
  of: Of;
  search: StatsSearch;
  show: (changes: (before: StatsSearch) => StatsSearch) => void;
}

function Body({ filter, of, search, show }: BodyProps) {
  // The filter of what the figures count, so that the list behind a figure has just as many.
  const counted = of === "runs" ? runsCounted(filter) : callsCounted(filter);
  const { data, error, refetch, isPlaceholderData } = useQuery(wholeFigures(filter, of));
  if (error && !data?.total.count) return <Failure error={error} retry={() => void refetch()} />;
  if (!data) return <Skeleton rows={10} />;
  // One run is a replay or not: as soon as something of it counts, nothing is left out.
  const isOfOneRun = (filter.run_id ?? filter.trace_id) !== undefined && data.total.count > 0;
  const leftOut = data.replays_left_out > 0 && !isOfOneRun && (
    <ReplaysLeftOut
      count={isOfTime(filter) ? data.replays_left_out : null}
      onInclude={() => show((before) => ({ ...before, replays: "true" }))}
    />
  );
  if (data.total.count === 0) {
    return (
      <>
        <Nothing onClear={isNarrow(filter) ? () => show((before) => withFilter(before, {})) : null} />
        {leftOut}
      </>
    );
  }
  const asTable = search.charts === "table";
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className={css.page} aria-label="Figures" aria-busy={isPlaceholderData} tabIndex={0}>
      <Headline total={data.total} filter={counted} of={of} />
      {leftOut}
      {!data.complete && (
        <p className={css.partial} role="note">
          Too many to count. Figures cover the most recent only.
        </p>
      )}
      <div className={css.block}>
        <div className={css.blockHead}>
          <h2>Over time</h2>
          <Button
            look="plain"
            onClick={() => show(({ charts, ...rest }) => (charts ? rest : { ...rest, charts: "table" }))}
          >
            {asTable ? <ChartNoAxesColumn size={14} aria-hidden /> : <Table2 size={14} aria-hidden />}
            {asTable ? "As charts" : "As a table"}
          </Button>
        </div>
        <Charts buckets={data.buckets} filter={counted} of={of} asTable={asTable} />
      </div>
      <div className={css.block}>
        <h2 className="visually-hidden">Breakdowns and outliers</h2>
        <div className={css.tables}>
          <Tables filter={counted} of={of} search={search} show={show} />
        </div>
      </div>
      <StoragePanel />
    </section>
  );
}

/** The splits, and what stands out. What is below one that is still counted follows then, so that nothing moves. */
function Tables({ filter, of, search, show }: BodyProps) {
  const counts = useQueries({ queries: SPLITS[of].map((by) => splitQuery({ by, filter, of })) });
  const counting = counts.findIndex(({ data, error }) => !data && !error);
  const splits = counting < 0 ? SPLITS[of] : SPLITS[of].slice(0, counting + 1);
  return (
    <>
      {splits.map((by) => (
        <Split
          key={`${of} ${by}`}
          by={by}
          filter={filter}
          of={of}
          rank={search.rank ?? "count"}
          order={search.order ?? "desc"}
          show={show}
        />
      ))}
      {counting < 0 && (
        <div className={css.outliers}>
          <TopEvents sort="duration" filter={filter} of={of} />
          <TopEvents sort="cost" filter={filter} of={of} />
        </div>
      )}
    </>
  );
}

/** Says that replays are left out; how many is not known (null) if the filter narrows more than the time. */
function ReplaysLeftOut({ count, onInclude }: { count: number | null; onInclude: () => void }) {
  return (
    <p className={css.leftOut} role="note">
      {count === null ? "Replays are" : plural(count, "replay")} left out{" "}
      <Button onClick={onInclude}>Count replays</Button>
    </p>
  );
}

function Nothing({ onClear }: { onClear: (() => void) | null }) {
  if (!onClear) {
    return <Empty title="Nothing to count yet">Figures show here as soon as the first run is recorded.</Empty>;
  }
  return (
    <Empty title="Nothing matches">
      <Button onClick={onClear}>Clear the filter</Button>
    </Empty>
  );
}
