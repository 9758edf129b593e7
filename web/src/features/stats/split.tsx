import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { StatsGroup } from "@/api/client";
import { statsQuery } from "@/api/queries";
import { type Grouping, narrowedTo, type Rank, rankedFigures, rankValue } from "@/lib/figures";
import type { Filter } from "@/lib/filter";
import { plural } from "@/lib/format";
import { type BarRow, BarTable } from "@/ui/bar-table";
import { Button } from "@/ui/button";
import { COLUMNS, cellsOf, type Of, placeOf } from "./behind";
import { GroupName } from "./group-name";
import css from "./stats-page.module.css";
import { rankedBy, type StatsSearch } from "./url";

interface Props {
  by: Grouping;
  filter: Filter;
  of: Of;
  rank: Rank;
  order: "asc" | "desc";
  /** Changes how the page is shown. */
  show: (changes: (before: StatsSearch) => StatsSearch) => void;
}

const TITLES: Record<Grouping, string> = {
  model: "By model",
  tool: "By tool",
  agent: "By agent",
  error_type: "By error type",
  name: "By name",
  service: "By service",
  kind: "By kind",
  status: "By status",
  label: "By label",
};

/** The query of a split. */
export function splitQuery({ by, filter, of }: Pick<Props, "by" | "filter" | "of">) {
  return { ...statsQuery({ filter, by, of }), placeholderData: keepPreviousData };
}

/** The figures split by the values of one field. */
export function Split({ by, filter, of, rank, order, show }: Props) {
  const { data, error, refetch } = useQuery(splitQuery({ by, filter, of }));
  const title = TITLES[by];
  if (!data) return <Pending title={title} error={error} retry={() => void refetch()} />;
  const named = data.groups.filter((group): group is StatsGroup & { key: string } => group.key !== null);
  const most = Math.max(...named.map((group) => rankValue(group, rank) ?? 0), 0);
  const unnamed = data.groups.find(({ key }) => key === null);
  const partial = data.complete ? null : `Of the newest ${plural(data.total.count, of === "runs" ? "run" : "call")}`;
  if (named.length === 0 && !partial) return null;
  const rows = rankedFigures(named, rank, order).map((group) => {
    const narrowed = narrowedTo(filter, by, group.key);
    return {
      key: group.key,
      name: (
        <>
          <GroupName by={by} value={group.key} />
          {typeof group.mean_score === "number" && ` · mean ${Number(group.mean_score.toPrecision(4))}`}
        </>
      ),
      search: narrowed,
      cells: cellsOf(group, narrowed),
      share: most > 0 ? Math.min(1, (rankValue(group, rank) ?? 0) / most) : 0,
    };
  });
  return (
    <BarTable
      title={title}
      columns={columnsOf(rows, rank)}
      to={placeOf(of)}
      rank={rank}
      order={order}
      onRank={(next) => show((before) => rankedBy(before, next))}
      note={[partial, unnamed && withoutText(unnamed, by, of)].filter(Boolean).join(" · ") || null}
      rows={rows}
    />
  );
}

/** The columns, without tokens and cost where no row has any, as of tools, unless they are ranked by them. */
function columnsOf(rows: readonly BarRow<Rank>[], rank: Rank) {
  const has = (id: Rank) => rows.some(({ cells }) => cells[id].search !== null || cells[id].title !== undefined);
  return COLUMNS.filter(({ id }) => (id !== "tokens" && id !== "cost") || id === rank || has(id));
}

function withoutText({ count, errors }: StatsGroup, by: Grouping, of: Of): string | null {
  if (by === "error_type") return errors > 0 ? `${plural(errors, "failure")} without a type` : null;
  return `${plural(count, of === "runs" ? "run" : "call")} without ${by === "agent" ? "an agent" : `a ${by}`}`;
}

function Pending({ title, error, retry }: { title: string; error: Error | null; retry: () => void }) {
  return (
    <div className={css.pending} aria-busy={error === null}>
      <h3>{title}</h3>
      {error ? (
        <p role="alert">
          {error.message} <Button onClick={retry}>Try again</Button>
        </p>
      ) : (
        <p>Counting…</p>
      )}
    </div>
  );
}
