import { Link } from "@tanstack/react-router";
import clsx from "clsx";
import { type ReactNode, useMemo } from "react";
import type { Stats } from "@/api/client";
import { changed } from "@/lib/conditions";
import { type Filter, isOfTime, type Status } from "@/lib/filter";
import { count, duration } from "@/lib/format";
import { tokensText, tokensTitle } from "@/ui/list";
import { SummedCost } from "@/ui/summed-cost";
import { binsOf } from "./bins";
import { Histogram } from "./histogram";
import css from "./overview.module.css";
import { filterIn, type RunsSearch } from "./url";

interface Props {
  /** Undefined while loading: the layout keeps room for it. */
  stats: Stats | undefined;
  failed: boolean;
  search: RunsSearch;
  /** The number of runs that are hidden until their deletion can no longer be undone: `stats` still counts them. */
  deleted: number;
  /** Whether replays are in the list, as far as it is loaded. */
  listsReplays: boolean;
  onRange: (range: { since: string; until: string } | null) => void;
}

/** Figures that are only shown if they are not zero, after the others: what comes later moves nothing. */
const OTHERS: { name: string; statuses: Status[] }[] = [
  { name: "Running", statuses: ["running"] },
  { name: "Unfinished", statuses: ["cancelled", "abandoned", "lost"] },
];

/** The runs of the filter in figures, and over time. */
export function Overview({ stats, failed, search, deleted, listsReplays, onRange }: Props) {
  const bins = useMemo(() => binsOf(stats?.buckets ?? []), [stats]);
  const total = stats?.total;
  const ofTime = isOfTime(filterIn(search));
  const counts = new Map(stats?.groups.map((group) => [group.key, group.count]));
  return (
    <section className={css.overview} aria-label="Runs in figures" aria-busy={!stats && !failed}>
      <dl className={css.figures}>
        <Figure name="Runs">{total && count(total.count)}</Figure>
        <Figure name="Failed runs" bad={(total?.errors ?? 0) > 0} title="Runs that ended with an error">
          {total && <ByStatus statuses={["error"]} value={total.errors} search={search} />}
        </Figure>
        <Figure name="p50">{total && duration(total.p50_ms)}</Figure>
        <Figure name="p95">{total && duration(total.p95_ms)}</Figure>
        <Figure name="Tokens" wide title={total && tokensTitle(total)}>
          {total && tokensText(total)}
        </Figure>
        <Figure name="Cost">{total && <SummedCost of={total} />}</Figure>
        {OTHERS.map(({ name, statuses }) => {
          const value = statuses.reduce((sum, status) => sum + (counts.get(status) ?? 0), 0);
          if (value === 0) return null;
          return (
            <Figure key={name} name={name} title={statuses.join(", ")}>
              <ByStatus statuses={statuses} value={value} search={search} />
            </Figure>
          );
        })}
        {stats?.complete === false && (
          <Figure name="Counted" title="There are too many runs to count them all in time">
            newest runs only
          </Figure>
        )}
        {stats !== undefined && stats.replays_left_out > 0 && (ofTime || listsReplays) && (
          <Figure name="Replays" title="The list has them; figures count only runs that asked a model">
            {ofTime && count(stats.replays_left_out)} left out
          </Figure>
        )}
        {deleted > 0 && (
          <Figure name="Deleted" title="Counted until the deletion can no longer be undone">
            {count(deleted)} still counted
          </Figure>
        )}
      </dl>
      {failed && !stats ? (
        <p className={css.note}>The figures could not be loaded.</p>
      ) : (
        <Histogram bins={bins} onRange={onRange} />
      )}
    </section>
  );
}

function Figure({
  name,
  bad = false,
  wide = false,
  title,
  children,
}: {
  name: string;
  bad?: boolean;
  /** Whether it needs more room than a number. */
  wide?: boolean;
  title?: string | undefined;
  children: ReactNode;
}) {
  return (
    <div className={clsx(css.figure, wide && css.wide)} title={title}>
      <dt>{name}</dt>
      <dd className={clsx(bad && css.bad)}>{children ?? <span className={css.waiting}>–</span>}</dd>
    </div>
  );
}

function ByStatus({ statuses, value, search }: { statuses: Status[]; value: number; search: RunsSearch }) {
  if (value === 0) return "0";
  const filter: Filter = changed(filterIn(search), { status: statuses });
  return (
    <Link to="/" search={{ ...search, ...filter }} title={`Show only these: ${statuses.join(", ")}`}>
      {count(value)}
    </Link>
  );
}
