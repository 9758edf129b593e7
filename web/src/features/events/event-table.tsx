import { useVirtualizer } from "@tanstack/react-virtual";
import clsx from "clsx";
import { type CSSProperties, useEffect, useId, useLayoutEffect, useMemo, useRef } from "react";
import type { SpanEvent } from "@/api/client";
import { Button } from "@/ui/button";
import { ColumnHead, GridRow, RowGroup } from "@/ui/grid";
import { Empty, Failure, Skeleton } from "@/ui/notice";
import { useListKeys } from "@/ui/use-list-keys";
import { useRowHeight } from "@/ui/use-row-height";
import { useRowKeys } from "@/ui/use-row-keys";
import { COLUMNS, tracksOf } from "./columns";
import type { EventList } from "./event-list";
import { EventRow } from "./event-row";
import css from "./event-table.module.css";
import { feedKey } from "./feed";
import { NewAbove } from "./live-bar";
import { SortHeader } from "./sort-header";
import { type ColumnId, columnsOf, type EventsSearch } from "./url";
import type { Hold } from "./use-hold";

interface Props {
  list: EventList & { waiting?: number; overflow?: boolean };
  hold: Hold;
  search: EventsSearch;
  /** The key of the event whose detail shows. */
  chosen: string | null;
  onOpen: (event: SpanEvent) => void;
  /** Widens the filter again; null when it is as wide as can be. */
  onClear: (() => void) | null;
}

/** How close to the last row the next page is asked for. */
const AHEAD = 40;

/** Spans in rows: virtual, moved through with the keyboard, older ones loaded as they come near. */
export function EventTable({ list, hold, search, chosen, onOpen, onClear }: Props) {
  const { rows } = list;
  const columns = useMemo(() => columnsOf(search.cols), [search.cols]);
  const tracks = columns && tracksOf(columns);
  const scroller = useRef<HTMLDivElement>(null);
  const listId = useId();
  const live = search.sort === undefined;
  const height = useRowHeight();
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 12,
    useFlushSync: false,
  });
  const keys = useRowKeys({
    count: rows.length,
    show: (row) => {
      if (live) hold.pause();
      virtual.scrollToIndex(row);
    },
    open: (row) => {
      const event = rows[row];
      if (event) onOpen(event);
    },
  });
  useListKeys(scroller);
  const cursor = useSteadyCursor(rows, keys.cursor, keys.setCursor);
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;

  const { hasOlder, older, loadOlder } = list;
  useEffect(() => {
    // A page can be empty and yet name a next one: the server had no index for the filter, and its time was over.
    if (hasOlder && older === "idle" && !list.loading && last >= rows.length - AHEAD) loadOlder();
  }, [hasOlder, older, loadOlder, list.loading, last, rows.length]);

  if (list.error && rows.length === 0) return <Failure error={list.error} retry={list.retry} />;
  if (list.loading && rows.length === 0) return <Skeleton rows={16} />;
  if (rows.length === 0) return hasOlder ? <Looking failed={older} retry={loadOlder} /> : <Nothing onClear={onClear} />;

  function toTop() {
    scroller.current?.scrollTo({ top: 0 });
    hold.setScrolled(false);
  }

  return (
    <div className={css.table}>
      {hold.scrolled && !hold.paused && (
        <NewAbove waiting={list.waiting ?? 0} overflow={list.overflow ?? false} onShow={toTop} />
      )}
      {/* biome-ignore lint/a11y/useSemanticElements: rows out of view do not exist */}
      <div
        ref={scroller}
        role="grid"
        aria-label="Spans"
        aria-rowcount={rows.length + 1}
        aria-busy={list.loading}
        aria-activedescendant={cursor >= 0 ? `${listId}-${keyAt(rows, cursor)}` : undefined}
        tabIndex={0}
        className={clsx(css.grid, tracks && css.custom)}
        style={tracks ? ({ "--columns": tracks.columns, "--least": tracks.least } as CSSProperties) : undefined}
        onKeyDown={keys.onKeyDown}
        onScroll={(event) => live && hold.setScrolled(event.currentTarget.scrollTop > height)}
        onPointerMove={live ? hold.touch : undefined}
      >
        <RowGroup className={css.head}>
          <Header search={search} columns={columns} />
        </RowGroup>
        <RowGroup className={css.rows} style={{ height: virtual.getTotalSize() }}>
          {items.map((item) => {
            const event = rows[item.index];
            if (!event) return null;
            return (
              // By place, not by event: at a high rate all rows change, and new texts in old rows are cheaper than new rows.
              <div
                key={item.index}
                role="presentation"
                className={css.place}
                style={{ height, transform: `translateY(${item.start}px)` }}
              >
                <EventRow
                  place={item.index + 2}
                  id={`${listId}-${feedKey(event)}`}
                  event={event}
                  chosen={feedKey(event) === chosen}
                  cursor={item.index === cursor}
                  columns={columns}
                  onOpen={onOpen}
                />
              </div>
            );
          })}
        </RowGroup>
        <More list={list} />
      </div>
    </div>
  );
}

function keyAt(rows: readonly SpanEvent[], at: number): string {
  const row = rows[at];
  return row ? feedKey(row) : String(at);
}

/** Keeps the cursor on its row while rows come and go above it. */
function useSteadyCursor(rows: readonly SpanEvent[], cursor: number, setCursor: (at: number) => void): number {
  const held = useRef<{ rows: readonly SpanEvent[]; key: string | null }>({ rows, key: null });
  const row = rows[cursor];
  const moved = held.current.rows !== rows && held.current.key !== null && (!row || feedKey(row) !== held.current.key);
  const next = moved ? rows.findIndex((each) => feedKey(each) === held.current.key) : cursor;
  useLayoutEffect(() => {
    const now = rows[next];
    held.current = { rows, key: now ? feedKey(now) : null };
    if (next !== cursor) setCursor(next);
  });
  return next;
}

function Header({ search, columns }: { search: EventsSearch; columns: readonly ColumnId[] | null }) {
  return (
    <GridRow place={1} className={css.header}>
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
    </GridRow>
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
      <ColumnHead className={css.what}>Model or tool</ColumnHead>
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

function More({ list }: { list: EventList }) {
  if (list.older === "loading") return <p className={css.more}>Loading older spans…</p>;
  if (list.older === "idle") return null;
  return (
    <p className={css.more} role="alert">
      {list.older.message} <Button onClick={list.loadOlder}>Try again</Button>
    </p>
  );
}

function Looking({ failed, retry }: { failed: EventList["older"]; retry: () => void }) {
  if (failed instanceof Error) return <Failure error={failed} retry={retry} />;
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
        <p>New ones that do will show here as they happen.</p>
        <p className={css.clear}>
          <Button onClick={onClear}>Clear the filter</Button>
        </p>
      </Empty>
    );
  }
  return (
    <Empty title="No spans yet">
      Every span shows here as it begins. Run a program with <code>inspector run program.py</code>, call{" "}
      <code>inspector.attach()</code> in it, or try <code>inspector demo</code>.
    </Empty>
  );
}
