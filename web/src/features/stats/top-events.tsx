import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ComponentProps, useMemo } from "react";
import type { Run, SpanEvent } from "@/api/client";
import { topEventsQuery, topRunsQuery } from "@/api/queries";
import type { Previewed } from "@/api/use-previews";
import { previewKey, useCallPreviews } from "@/api/use-sight";
import { pricedOf } from "@/lib/figures";
import type { Filter } from "@/lib/filter";
import { dollars, duration } from "@/lib/format";
import { CallPreview } from "@/ui/call-preview";
import { KindIcon } from "@/ui/kind";
import { OriginIcon } from "@/ui/origin";
import { SpanName } from "@/ui/span-name";
import { StatusMark } from "@/ui/status";
import { When } from "@/ui/when";
import { type Of, placeOf } from "./behind";
import css from "./stats-page.module.css";

const MOST = 8;

type About = ComponentProps<typeof CallPreview>["of"];

interface Props {
  sort: "duration" | "cost";
  filter: Filter;
  of: Of;
}

/** The slowest or the most expensive events or runs of the filter, each with what it was about. */
export function TopEvents({ sort, filter, of }: Props) {
  const wanted = sort === "cost" ? pricedOf(filter) : filter;
  const listing = { filter: wanted, sort };
  const keep = { placeholderData: keepPreviousData };
  const events = useQuery({ ...topEventsQuery(listing, MOST), ...keep, enabled: of === "events" });
  const runs = useQuery({ ...topRunsQuery(listing, MOST), ...keep, enabled: of === "runs" });
  const calls = of === "events" ? events.data?.items : undefined;
  const previews = useCallPreviews(useMemo(() => (calls ?? []).map(previewed), [calls]));
  const items: readonly (SpanEvent | Run)[] = (of === "runs" ? runs.data?.items : calls) ?? [];
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
        {items.map((item) =>
          "span_id" in item ? (
            <li key={previewKey(item)}>
              <Item item={item} sort={sort} about={previews.get(previewKey(item))} />
            </li>
          ) : (
            <li key={item.run_id}>
              <Item item={item} sort={sort} about={exchangeOf(item)} />
            </li>
          ),
        )}
      </ol>
    </section>
  );
}

function previewed(event: SpanEvent): Previewed {
  return { key: previewKey(event), running: event.status === "running" };
}

/** What a run was asked, and its answer; a failed one has none that belongs to the question. */
function exchangeOf({ question, answer, status }: Run): About {
  return { input: question, output: status === "error" ? null : answer, error: null };
}

interface ItemProps {
  item: SpanEvent | Run;
  sort: Props["sort"];
  about: About | undefined;
}

function Item({ item, sort, about }: ItemProps) {
  const target =
    "span_id" in item
      ? ({ to: "/traces/$traceId", params: { traceId: item.trace_id }, search: { span: item.span_id } } as const)
      : ({ to: "/runs/$runId", params: { runId: item.run_id } } as const);
  return (
    <Link {...target} preload={false} className={css.top}>
      {"span_id" in item ? <KindIcon kind={item.kind} /> : <OriginIcon origin={item.origin} />}
      <SpanName name={item.name} of={"span_id" in item ? item : undefined} className={css.topName} />
      {item.status !== "ok" && <StatusMark status={item.status} />}
      <span className={css.topAbout}>{about && <CallPreview of={about} />}</span>
      <When time={item.start_time_unix_nano} className={css.topWhen} />
      <span className={css.topNumber}>{sort === "cost" ? dollars(item.cost_usd) : duration(item.duration_ms)}</span>
    </Link>
  );
}
