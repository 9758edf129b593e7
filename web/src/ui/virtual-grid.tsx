import { useVirtualizer } from "@tanstack/react-virtual";
import clsx from "clsx";
import { ArrowUp } from "lucide-react";
import { type CSSProperties, type KeyboardEvent, type ReactNode, useCallback, useEffect, useId, useRef } from "react";
import { plural } from "@/lib/format";
import { type ActionOn, actionOn } from "@/lib/shortcuts";
import { RowGroup } from "./grid";
import css from "./list.module.css";
import { useListKeys } from "./use-list-keys";
import { useRowHeight } from "./use-row-height";
import { useRowKeys } from "./use-row-keys";
import { useSteadyRows } from "./use-steady-rows";

/** Where a row stands, and what it needs to be a part of its grid. */
export interface RowPlace {
  id: string;
  /** The place in the whole list, from one; the heading is the first row. */
  place: number;
  /** Pixels from the top of the list. */
  top: number;
  active: boolean;
}

/** How a list is held in which new rows wait while it is read, instead of coming in above. */
export interface Holding {
  /** What waits, in words; null for nothing. */
  waiting: string | null;
  /** The list was scrolled away from its top, or back to it. */
  onScrolled: (away: boolean) => void;
  /** The pointer moves over the rows. */
  onAim: () => void;
  /** The keyboard moves over the rows. */
  onMove: () => void;
}

/** Whether there are more rows to load, or why they did not come. */
export type More = "none" | "there" | "coming" | Error;

interface Props {
  label: string;
  /** What a row is, for counting new ones. */
  noun: string;
  /** How many lines of text a row has; one unless it is said. */
  lines?: 1 | 2;
  /** What each row is, in order; rows that stay keep their key. A new array where they changed. */
  keys: readonly string[];
  head: ReactNode;
  row: (index: number, place: RowPlace) => ReactNode;
  more: More;
  onMore: () => void;
  /** The row that is looked at, brought into view where it changes; -1 for none. */
  at?: number;
  onOpen: (index: number) => void;
  /** What keys do with a row, besides opening it. */
  onAction?: (action: ActionOn<"Runs">, index: number) => void;
  /** Unless it is given, new rows come in above and the list scrolls along. */
  hold?: Holding | undefined;
  /** What it shows is being replaced. */
  busy?: boolean;
  className?: string | undefined;
  /** Of the element with the rows. */
  style?: CSSProperties | undefined;
}

/** From how many rows before the end the next page is asked for. */
const AHEAD = 40;

/** How the next page of a query stands. */
export function moreOf(query: {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  error: Error | null;
}): More {
  if (!query.hasNextPage) return "none";
  if (query.isFetchingNextPage) return "coming";
  return (query.isFetchNextPageError && query.error) || "there";
}

/** A live list with columns, of which only the rows in view exist; it can be gone through with the keyboard. */
export function VirtualGrid(props: Props) {
  const { label, noun, lines = 1, keys, head, row, more, onMore, at = -1, onOpen, onAction, hold } = props;
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const rowHeight = useRowHeight(lines);
  const headHeight = useRowHeight();
  const rows = useVirtualizer({
    count: keys.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: useCallback((at: number) => keys[at] ?? at, [keys]),
    overscan: 12,
    useFlushSync: false,
    // The heading stays on top of the rows.
    scrollPaddingEnd: headHeight,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another height places every row anew
  useEffect(() => rows.measure(), [rows, rowHeight]);

  const { cursor, setCursor, onKeyDown } = useRowKeys({
    count: keys.length,
    show: (at) => {
      hold?.onMove();
      rows.scrollToIndex(at);
    },
    open: onOpen,
  });
  const steady = useSteadyRows({ scroller, keys, rowHeight, cursor, setCursor, scrolls: hold === undefined });
  useListKeys(scroller);
  useEffect(() => {
    if (at < 0) return;
    setCursor(at);
    const { startIndex, endIndex } = rows.range ?? { startIndex: 0, endIndex: -1 };
    rows.scrollToIndex(at, { align: at >= startIndex && at <= endIndex ? "auto" : "center" });
  }, [rows, at, setCursor]);

  const shown = rows.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (more === "there" && last >= keys.length - AHEAD) onMore();
  }, [more, last, keys.length, onMore]);

  function onKey(event: KeyboardEvent) {
    const action = onAction && cursor >= 0 && event.target === event.currentTarget ? actionOn("Runs", event) : null;
    if (action === null) return onKeyDown(event);
    event.preventDefault();
    onAction?.(action, cursor);
  }

  function onScroll() {
    steady.onScroll();
    hold?.onScrolled((scroller.current?.scrollTop ?? 0) > rowHeight);
  }

  function toTop() {
    steady.toTop();
    hold?.onScrolled(false);
  }

  const above = hold ? hold.waiting : steady.unseen > 0 ? plural(steady.unseen, `new ${noun}`) : null;
  return (
    <div className={clsx(css.grid, props.className)}>
      {above !== null && (
        <button type="button" className={css.unseen} onClick={toTop}>
          <ArrowUp size={14} aria-hidden />
          {above}
        </button>
      )}
      {/* biome-ignore lint/a11y/useSemanticElements: a virtual list has no table rows for what is out of view */}
      <div
        ref={scroller}
        role="grid"
        aria-label={label}
        aria-rowcount={more === "none" ? keys.length + 1 : -1}
        aria-activedescendant={shown.some((each) => each.index === cursor) ? `${id}-${cursor}` : undefined}
        aria-busy={props.busy}
        tabIndex={0}
        className={css.scroller}
        style={props.style}
        onKeyDown={onKey}
        onScroll={onScroll}
        onPointerMove={hold?.onAim ?? steady.onPointerMove}
      >
        <RowGroup className={css.head}>{head}</RowGroup>
        <RowGroup className={clsx(css.rows, lines === 2 && css.ofTwo)} style={{ height: rows.getTotalSize() }}>
          {shown.map(({ index, start }) =>
            row(index, { id: `${id}-${index}`, place: index + 2, top: start, active: index === cursor }),
          )}
        </RowGroup>
      </div>
      {(more === "coming" || more instanceof Error) && <Foot more={more} noun={noun} onMore={onMore} />}
    </div>
  );
}

function Foot({ more, noun, onMore }: { more: "coming" | Error; noun: string; onMore: () => void }) {
  if (more === "coming") {
    return (
      <p className={css.foot} role="status">
        Loading more {noun}s
      </p>
    );
  }
  return (
    <p className={css.foot} role="alert">
      More {noun}s could not be loaded: {more.message}{" "}
      <button type="button" className={css.again} onClick={onMore}>
        Try again
      </button>
    </p>
  );
}
