import { type ReactNode, useCallback, useMemo, useRef } from "react";
import type { SpanEvent } from "@/api/client";
import { useRunName } from "@/api/use-run-name";
import { useSuggest } from "@/api/use-suggest";
import { type ChangeAddress, parseSearch, stringifySearch } from "@/lib/address";
import { type Filter, filterOf, isNarrow, type Search } from "@/lib/filter";
import { focusInto } from "@/lib/focus";
import { keyOf } from "@/lib/shortcuts";
import { useCommands } from "@/ui/commands";
import { FilterBar } from "@/ui/filter-bar";
import { PageTitle } from "@/ui/page-title";
import { Splitter } from "@/ui/splitter";
import { useNotice } from "@/ui/use-notice";
import { useStoredNumber } from "@/ui/use-stored-number";
import { useWidth } from "@/ui/use-width";
import { ColumnsMenu } from "./columns-menu";
import { DetailHead } from "./detail-head";
import type { EventList } from "./event-list";
import { EventTable } from "./event-table";
import css from "./events-page.module.css";
import { feedKey } from "./feed";
import { LiveBar, SortedBar } from "./live-bar";
import { type ColumnId, columnsOf, type EventsSearch, eventsSearch, withFilter, withoutSpan } from "./url";
import { type Hold, useHold } from "./use-hold";
import { useLiveEvents } from "./use-live-events";
import { useSortedEvents } from "./use-sorted-events";
import { ViewsMenu } from "./views-menu";

interface Props {
  search: EventsSearch;
  change: ChangeAddress<EventsSearch>;
  /** The detail of a span; `event` is null if the list does not have it. */
  detail: (traceId: string, spanId: string, event: SpanEvent | null) => ReactNode;
}

/** All spans: live, or sorted by duration, tokens or cost; the detail of one of them is beside the list. */
export function EventsPage({ search, ...rest }: Props) {
  const text = JSON.stringify(filterOf(search as Search));
  const filter = useMemo<Filter>(() => JSON.parse(text), [text]);
  return search.sort ? (
    <Sorted search={search} filter={filter} {...rest} />
  ) : (
    <Live search={search} filter={filter} {...rest} />
  );
}

interface ViewProps extends Props {
  filter: Filter;
}

function Live(props: ViewProps) {
  const hold = useHold();
  const list = useLiveEvents(props.filter, hold.held);
  useCommands([
    {
      id: "pause",
      title: hold.paused ? "Resume the live list" : "Pause the live list",
      keys: keyOf("pause"),
      run: hold.toggle,
    },
  ]);
  return <View {...props} list={list} hold={hold} bar={<LiveBar list={list} hold={hold} />} />;
}

function Sorted(props: ViewProps) {
  const { search, filter } = props;
  const list = useSortedEvents(filter, search.sort ?? "duration", search.order);
  const hold = useHold();
  return <View {...props} list={list} hold={hold} bar={<SortedBar search={search} refresh={list.retry} />} />;
}

interface Shown extends ViewProps {
  list: EventList;
  hold: Hold;
  bar: ReactNode;
}

const LEAST_LIST = 420;
const LEAST_DETAIL = 360;

function View({ search, change, filter, detail, list, hold, bar }: Shown) {
  const suggest = useSuggest(filter);
  const runName = useRunName(filter);
  const [width, setWidth] = useStoredNumber("inspector.events.detail", 540);
  const body = useRef<HTMLDivElement>(null);
  const room = useWidth(body);
  const most = Math.max(LEAST_DETAIL, room - LEAST_LIST);
  const wide = room === 0 || room >= LEAST_LIST + LEAST_DETAIL;
  const { span, trace } = search;
  const chosen = span && trace ? `${trace}${span}` : null;
  const event = list.rows.find((row) => row.span_id === span && row.trace_id === trace) ?? null;

  const aside = useRef<HTMLElement>(null);

  const open = useCallback(
    (row: SpanEvent) => {
      // Once more on the same row leads into what it shows.
      if (feedKey(row) === chosen) focusInto(aside.current);
      else void change((before) => ({ ...withoutSpan(before), span: row.span_id, trace: row.trace_id }));
    },
    [change, chosen],
  );
  const showColumns = (columns: readonly ColumnId[] | null) =>
    void change(({ cols, ...rest }) => (columns?.length ? { ...rest, cols: columns.join(",") } : rest), true);
  function close() {
    // What has the focus may be in the detail, and gone with it.
    if (body.current?.contains(document.activeElement)) gridIn(body.current)?.focus();
    void change(withoutSpan);
  }
  useCommands([
    {
      id: "errors",
      title: "Show errors only",
      words: "failed",
      run: () => void change((before) => ({ ...before, status: ["error"] })),
    },
    ...(event ? [{ id: "close", title: "Close the detail", keys: keyOf("closeDetail"), run: close }] : []),
  ]);

  const notice = useNotice(search, list.notice);
  return (
    <>
      <PageTitle title="Spans" />
      <FilterBar
        filter={filter}
        suggest={suggest}
        runName={runName}
        notice={notice}
        onChange={(next, typing) => void change((before) => withFilter(before, next), typing)}
      >
        <ColumnsMenu columns={columnsOf(search.cols)} onChange={showColumns} />
        <ViewsMenu
          search={stringifySearch({ ...withoutSpan(search) })}
          onOpen={(view) => void change(() => eventsSearch(parseSearch(view)))}
        />
        {bar}
      </FilterBar>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a key of whatever has the focus in it */}
      <div
        ref={body}
        className={wide ? css.body : css.stack}
        onKeyDown={(pressed) => span && pressed.key === "Escape" && !pressed.defaultPrevented && close()}
      >
        <EventTable
          list={list}
          hold={hold}
          search={search}
          chosen={chosen}
          narrow={!wide}
          onOpen={open}
          onClear={isNarrow(filter) ? () => void change((before) => withFilter(before, {})) : null}
        />
        {span && trace && (
          <>
            {wide && (
              <Splitter
                label="Width of the detail"
                after
                value={Math.min(width, most)}
                min={LEAST_DETAIL}
                max={most}
                onChange={setWidth}
              />
            )}
            <aside
              ref={aside}
              tabIndex={-1}
              className={css.detail}
              aria-label="Detail of the span"
              style={wide ? { width: Math.min(width, most) } : {}}
            >
              <DetailHead traceId={trace} spanId={span} onClose={close} />
              {detail(trace, span, event)}
            </aside>
          </>
        )}
      </div>
    </>
  );
}

function gridIn(element: HTMLElement): HTMLElement | null {
  return element.querySelector<HTMLElement>("[role=grid]");
}
