import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Run, SpanEvent } from "@/api/client";
import { topEventsQuery, topRunsQuery } from "@/api/queries";
import { pricedOf } from "@/lib/figures";
import type { Filter } from "@/lib/filter";
import { dollars, duration } from "@/lib/format";
import { KindIcon } from "@/ui/kind";
import { OriginIcon } from "@/ui/origin";
import { Recorded } from "@/ui/recorded";
import { SpanName } from "@/ui/span-name";
import { StatusMark } from "@/ui/status";
import { When } from "@/ui/when";
import { type Of, placeOf } from "./behind";
import css from "./stats-page.module.css";

const MOST = 8;

interface Props {
  sort: "duration" | "cost";
  filter: Filter;
  of: Of;
}

/** The slowest or the most expensive events or runs of the filter. */
export function TopEvents({ sort, filter, of }: Props) {
  const wanted = sort === "cost" ? pricedOf(filter) : filter;
  const listing = { filter: wanted, sort };
  const keep = { placeholderData: keepPreviousData };
  const events = useQuery({ ...topEventsQuery(listing, MOST), ...keep, enabled: of === "events" });
  const runs = useQuery({ ...topRunsQuery(listing, MOST), ...keep, enabled: of === "runs" });
  const items: readonly (SpanEvent | Run)[] = (of === "runs" ? runs.data?.items : events.data?.items) ?? [];
  if (items.length === 0) return null;
  return (
    <section>
      <h3 className={css.topTitle}>
        {sort === "cost" ? "Most expensive" : "Slowest"}
        <Link to={placeOf(of)} search={{ ...wanted, sort }} preload={false}>
          {of === "runs" ? "All runs" : "All calls"}
          <span className="visually-hidden">
            {sort === "cost" ? ", the most expensive first" : ", the slowest first"}
          </span>
        </Link>
      </h3>
      <ol>
        {items.map((item) => (
          <li key={"span_id" in item ? `${item.trace_id}${item.span_id}` : item.run_id}>
            <Item item={item} sort={sort} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function Item({ item, sort }: { item: SpanEvent | Run; sort: "duration" | "cost" }) {
  const target =
    "span_id" in item
      ? ({ to: "/traces/$traceId", params: { traceId: item.trace_id }, search: { span: item.span_id } } as const)
      : ({ to: "/runs/$runId", params: { runId: item.run_id } } as const);
  return (
    <Link {...target} preload={false} className={css.top}>
      {"span_id" in item ? <KindIcon kind={item.kind} /> : <OriginIcon origin={item.origin} />}
      <SpanName name={item.name} of={"span_id" in item ? item : undefined} className={css.topName} />
      {item.status !== "ok" && <StatusMark status={item.status} />}
      {item.agent && <Recorded text={item.agent} className={css.topAgent} />}
      <When time={item.start_time_unix_nano} className={css.topWhen} />
      <span className={css.topNumber}>{sort === "cost" ? dollars(item.cost_usd) : duration(item.duration_ms)}</span>
    </Link>
  );
}
