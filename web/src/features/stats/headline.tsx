import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import clsx from "clsx";
import { statsQuery } from "@/api/queries";
import { type Figures, failedOf, narrowedTo, pricedOf, slowerThan } from "@/lib/figures";
import type { Filter } from "@/lib/filter";
import { compact, count, dollars, duration, percent, withoutPrice } from "@/lib/format";
import type { ListSearch } from "@/ui/bar-table";
import { type Of, placeOf } from "./behind";
import css from "./headline.module.css";

interface Figure {
  label: string;
  text: string;
  note?: string;
  search: ListSearch | null;
  alarm?: boolean;
  title?: string;
}

interface Props {
  total: Figures;
  filter: Filter;
  of: Of;
}

/** Kinds with their own durations: the many short spans of hooks and plumbing would hide them in a common quantile. */
const TIMED = [
  { kind: "llm", label: "Model call" },
  { kind: "tool", label: "Tool call" },
] as const;

type Times = Pick<Figures, "p50_ms" | "p95_ms" | "p99_ms">;
/** Has the place of figures that come later: what is below them must not move. */
const LOADING: Times = { p50_ms: null, p95_ms: null, p99_ms: null };

/** The totals, in a line of figures. */
export function Headline({ total, filter, of }: Props) {
  // The same query as for the table by kind, so there is only one request.
  const mixed = of === "events" && filter.kind?.length !== 1;
  const { data } = useQuery({ ...statsQuery({ filter, by: "kind", of }), enabled: mixed });
  const times = mixed
    ? TIMED.flatMap(({ kind, label }) => {
        const figures = data ? data.groups.find(({ key }) => key === kind) : LOADING;
        return figures ? timesOf(figures, narrowedTo(filter, "kind", kind), `${label} `) : [];
      })
    : timesOf(total, filter, "");
  return (
    <dl className={css.line}>
      {figuresOf({ total, filter, of }, times).map(({ label, text, note, search, alarm, title }) => (
        <div key={label} className={css.figure}>
          <dt className={css.label}>{label}</dt>
          <dd className={clsx(css.value, alarm && css.alarm)}>
            {search ? (
              <Link to={placeOf(of)} search={search} preload={false} title={title}>
                {text}
              </Link>
            ) : (
              text
            )}
            {note && <span className={css.note}>{note}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function timesOf(figures: Times, filter: Filter, prefix: string): Figure[] {
  const slow = (label: string, ms: number | null): Figure => ({
    label: `${prefix}${label}`,
    text: duration(ms),
    search: ms === null ? null : { ...slowerThan(filter, ms), sort: "duration" },
    ...(ms !== null && { title: `Those that took ${duration(ms)} or longer` }),
  });
  const most = prefix ? [] : [slow("p99", figures.p99_ms)];
  return [slow("p50", figures.p50_ms), slow("p95", figures.p95_ms), ...most];
}

function figuresOf({ total, filter, of }: Props, times: readonly Figure[]): Figure[] {
  const tokens = (label: string, value: number, note?: string): Figure => ({
    label,
    text: compact(value),
    title: count(value),
    search: value ? { ...filter, sort: "tokens" } : null,
    ...(note && { note }),
  });
  const cached =
    total.cached_tokens && total.input_tokens
      ? `${percent(total.cached_tokens / total.input_tokens)} cached`
      : undefined;
  return [
    { label: of === "runs" ? "Runs" : "Calls", text: count(total.count), search: filter },
    {
      label: "Failed",
      text: count(total.errors),
      search: total.errors ? failedOf(filter) : null,
      alarm: total.errors > 0,
      ...(total.errors > 0 && { note: percent(total.errors / total.count) }),
    },
    ...times,
    tokens("Tokens in", total.input_tokens, cached),
    tokens("Tokens out", total.output_tokens),
    {
      label: "Cost",
      text: dollars(total.cost_usd),
      search: total.cost_usd === null ? null : { ...pricedOf(filter), sort: "cost" },
      ...(total.unpriced_calls > 0 && { note: withoutPrice(total.unpriced_calls) }),
    },
  ];
}
