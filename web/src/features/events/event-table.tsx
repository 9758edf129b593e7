import clsx from "clsx";
import { type CSSProperties, useEffect, useMemo } from "react";
import type { SpanEvent } from "@/api/client";
import { useSight } from "@/api/use-sight";
import { plural } from "@/lib/format";
import { Button } from "@/ui/button";
import { ColumnHead } from "@/ui/grid";
import { HeadRow } from "@/ui/list";
import { Empty, Failure, Skeleton } from "@/ui/notice";
import { type Holding, VirtualGrid } from "@/ui/virtual-grid";
import { COLUMNS, tracksOf } from "./columns";
import type { EventList } from "./event-list";
import { EventRow } from "./event-row";
import css from "./event-table.module.css";
import { feedKey } from "./feed";
import { SortHeader } from "./sort-header";
import { type ColumnId, columnsOf, type EventsSearch, USUAL } from "./url";
import type { Hold } from "./use-hold";

interface Props {
  list: EventList & { waiting?: number; overflow?: boolean };
  hold: Hold;
  search: EventsSearch;
  /** The key of the event whose detail is shown. */
  chosen: string | null;
  /** Whether there is no room for the input and output beside the name: they are below it. */
  narrow: boolean;
  onOpen: (event: SpanEvent) => void;
  /** Clears the filter; null if there is no filter to clear. */
  onClear: (() => void) | null;
}

const NO_ROWS: readonly SpanEvent[] = [];

/** Spans in rows; older ones are loaded as the user scrolls down. */
export function EventTable({ list, hold, search, chosen, narrow, onOpen, onClear }: Props) {
  const { rows, older, loadOlder } = list;
  const columns = useMemo(() => columnsOf(search.cols), [search.cols]);
  const tracks = columns && tracksOf(columns);
  const ofTwo = narrow && columns === null;
  const { previews, onSight } = useSight((columns ?? USUAL).includes("preview") ? rows : NO_ROWS, callOf);

  if (list.error && rows.length === 0) return <Failure error={list.error} retry={list.retry} />;
  if (list.loading && rows.length === 0) return <Skeleton rows={16} />;
  if (rows.length === 0 && older === "none") return <Nothing onClear={onClear} />;
  if (rows.length === 0) return <Looking older={older} onMore={loadOlder} />;
  return (
    <VirtualGrid
      label="Spans"
      noun="span"
      className={clsx(css.spans, ofTwo && css.ofTwo)}
      lines={ofTwo ? 2 : 1}
      style={tracks ? ({ "--columns": tracks.columns, "--least": tracks.least } as CSSProperties) : undefined}
      items={rows}
      keyOf={feedKey}
      head={<Header search={search} columns={columns} />}
      more={list.loading && older !== "none" ? "coming" : older}
      onMore={loadOlder}
      onOpen={onOpen}
      hold={search.sort === undefined ? holdingOf(list, hold) : undefined}
      onSight={onSight}
      busy={list.loading}
      row={(event, place) => (
        // By place, not by event: at a high rate all rows change, and a new text costs less than a new row.
        <EventRow
          key={place.place}
          {...place}
          {...{ event, columns, onOpen }}
          preview={previews.get(feedKey(event))}
          chosen={feedKey(event) === chosen}
        />
      )}
    />
  );
}

function callOf(row: SpanEvent) {
  return [{ key: feedKey(row), running: row.status === "running" }];
}

function holdingOf({ waiting = 0, overflow = false }: Props["list"], hold: Hold): Holding {
  const words = overflow ? "Buffer full; reload the list" : waiting > 0 ? `${plural(waiting, "new span")} above` : null;
  return {
    waiting: hold.scrolled && !hold.paused ? words : null,
    onScrolled: hold.setScrolled,
    onAim: hold.touch,
    onMove: hold.pause,
  };
}

function Header({ search, columns }: { search: EventsSearch; columns: readonly ColumnId[] | null }) {
  return (
    <HeadRow>
      <SortHeader search={search} by={null} className={css.time}>
        Time
      </SortHeader>
      <ColumnHead className={css.status}>
        <span className="visually-hidden">Status</span>
      </ColumnHead>
      <ColumnHead className={css.name}>Name</ColumnHead>
      {columns ? <ChosenHeads search={search} columns={columns} /> : <UsualHeads search={search} />}
      <ColumnHead className={css.run}>
        <span className="visually-hidden">Run</span>
      </ColumnHead>
    </HeadRow>
  );
}

function ChosenHeads({ search, columns }: { search: EventsSearch; columns: readonly ColumnId[] }) {
  return columns.map((id) => {
    const { label, share, sort } = COLUMNS[id];
    const look = share ? css.cell : css.figure;
    return sort ? (
      <SortHeader key={id} search={search} by={sort} className={look}>
        {label}
      </SortHeader>
    ) : (
      <ColumnHead key={id} className={look}>
        {label}
      </ColumnHead>
    );
  });
}

function UsualHeads({ search }: { search: EventsSearch }) {
  return (
    <>
      <ColumnHead className={css.agent}>Agent</ColumnHead>
      <ColumnHead className={css.preview}>Input → output</ColumnHead>
      <SortHeader search={search} by="duration" className={css.number}>
        Duration
      </SortHeader>
      <SortHeader search={search} by="tokens" className={css.tokens}>
        Tokens
      </SortHeader>
      <SortHeader search={search} by="cost" className={css.cost}>
        Cost
      </SortHeader>
    </>
  );
}

/** Nothing found so far, without an index for the filter: a page can be empty and still have a next one. */
function Looking({ older, onMore }: { older: EventList["older"]; onMore: () => void }) {
  useEffect(() => {
    if (older === "there") onMore();
  }, [older, onMore]);
  if (older instanceof Error) return <Failure error={older} retry={onMore} />;
  return (
    <Empty title="Nothing found so far">
      <p>No index for this filter; scanning, newest first…</p>
    </Empty>
  );
}

function Nothing({ onClear }: { onClear: (() => void) | null }) {
  if (onClear) {
    return (
      <Empty title="No span matches">
        <p>New spans that match appear here as they happen.</p>
        <p className={css.clear}>
          <Button onClick={onClear}>Clear the filter</Button>
        </p>
      </Empty>
    );
  }
  return (
    <Empty title="No spans yet">
      Every span appears here as it starts. Run a program with <code>inspector run program.py</code>, call{" "}
      <code>inspector.attach()</code> in it, or try <code>inspector demo</code>.
    </Empty>
  );
}
