import { useVirtualizer } from "@tanstack/react-virtual";
import clsx from "clsx";
import { ArrowUp } from "lucide-react";
import {
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useId,
  useMemo,
  useRef,
} from "react";
import { plural } from "@/lib/format";
import { type ActionOn, actionOn } from "@/lib/shortcuts";
import { RowGroup } from "./grid";
import css from "./list.module.css";
import { untilReleased } from "./until-released";
import { useListKeys } from "./use-list-keys";
import { useLeavingList, usePlaceInList } from "./use-place-in-list";
import { useRowHeight } from "./use-row-height";
import { useRowKeys } from "./use-row-keys";
import { useSteadyRows } from "./use-steady-rows";

/** The position of a row, and its props as a part of the grid. */
export interface RowPlace {
  id: string;
  /** The index in the whole list, from one; the heading is the first row. */
  place: number;
  /** Pixels from the top of the list. */
  top: number;
  active: boolean;
}

/** For a list in which new rows wait while it is being read, instead of appearing above. */
export interface Holding {
  /** How much is waiting, in words; null for nothing. */
  waiting: string | null;
  /** Called when the list is scrolled away from its top, or back to it. */
  onScrolled: (away: boolean) => void;
  /** Called when the pointer moves over the rows, and when it is pressed or released: a finger does not move before. */
  onAim: (pressed: boolean) => void;
  /** Called when the keyboard moves the cursor. */
  onMove: () => void;
}

/** Whether there are more rows to load, or why loading them failed. */
export type More = "none" | "there" | "coming" | Error;

interface Props<Item> {
  label: string;
  /** The noun for a row, to count new ones. */
  noun: string;
  /** The lines of text in a row; one by default. */
  lines?: 1 | 2;
  /** A new array for each change. */
  items: readonly Item[];
  /** The key of an item, which it keeps; a function of the module. */
  keyOf: (item: Item) => string;
  head: ReactNode;
  row: (item: Item, place: RowPlace) => ReactNode;
  more: More;
  onMore: () => void;
  /** The selected row, scrolled into view when it changes; -1 for none. */
  at?: number;
  onOpen: (item: Item) => void;
  /** The actions of keys on a row, besides opening it. */
  onAction?: (action: ActionOn<"Runs">, item: Item) => void;
  /** Without it, new rows appear above and the scroll position is adjusted. */
  hold?: Holding | undefined;
  /** Called when other rows come into view, with the indexes of the first and the last one. */
  onSight?: (first: number, last: number) => void;
  /** What it lists. If it is shown again, its scroll position and its cursor are as they were left. */
  list?: string;
  /** Whether its content is being replaced. */
  busy?: boolean;
  className?: string | undefined;
  /** The style of the element with the rows. */
  style?: CSSProperties | undefined;
}

/** How many rows before the end the next page is requested. */
const AHEAD = 40;

/** The state of a query's next page. */
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

/** A live list with columns that only renders the rows in view; the keyboard moves a cursor over them. */
export function VirtualGrid<Item>(props: Props<Item>) {
  const { label, noun, lines = 1, items, keyOf, head, row, more, onMore, at = -1, onSight, hold } = props;
  const keys = useMemo(() => items.map(keyOf), [items, keyOf]);
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const rowHeight = useRowHeight(lines);
  const headHeight = useRowHeight();
  const left = usePlaceInList(label, props.list);
  const rows = useVirtualizer({
    count: keys.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: useCallback((at: number) => keys[at] ?? at, [keys]),
    overscan: 12,
    initialOffset: left?.top ?? 0,
    useFlushSync: false,
    // The heading covers the top of the scroll area.
    scrollPaddingEnd: headHeight,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new height moves every row
  useEffect(() => rows.measure(), [rows, rowHeight]);

  const { cursor, setCursor, onKeyDown } = useRowKeys({
    count: keys.length,
    show: (at) => {
      hold?.onMove();
      rows.scrollToIndex(at);
    },
    open: (at) => {
      const item = items[at];
      if (item !== undefined) props.onOpen(item);
    },
    from: left?.key === undefined ? -1 : keys.indexOf(left.key),
  });
  useLeavingList(label, props.list, { scroller, keys, cursor });
  const steady = useSteadyRows({ scroller, keys, rowHeight, cursor, setCursor, scrolls: hold === undefined });
  const onAim = hold?.onAim ?? steady.onAim;
  useListKeys(scroller);
  useEffect(() => {
    if (at < 0) return;
    setCursor(at);
    const { startIndex, endIndex } = rows.range ?? { startIndex: 0, endIndex: -1 };
    rows.scrollToIndex(at, { align: at >= startIndex && at <= endIndex ? "auto" : "center" });
  }, [rows, at, setCursor]);

  const shown = rows.getVirtualItems();
  const first = shown[0]?.index ?? 0;
  const last = shown.at(-1)?.index ?? 0;
  // None is until the list is measured.
  const inSight = shown.length > 0;
  useEffect(() => {
    if (inSight) onSight?.(first, last);
  }, [onSight, inSight, first, last]);
  useEffect(() => {
    if (more === "there" && last >= keys.length - AHEAD) onMore();
  }, [more, last, keys.length, onMore]);

  function onKey(event: KeyboardEvent) {
    const item = items[cursor];
    const action = props.onAction && event.target === event.currentTarget ? actionOn("Runs", event) : null;
    if (action === null || item === undefined) return onKeyDown(event);
    event.preventDefault();
    props.onAction?.(action, item);
  }

  /** A row that is pressed takes the cursor, so that the keys go on from there. */
  function onClick({ target }: MouseEvent) {
    const place = (target as HTMLElement).closest("[role=row]")?.getAttribute("aria-rowindex");
    if (place) setCursor(Number(place) - 2);
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
        onClick={onClick}
        onScroll={onScroll}
        onPointerMove={(event) => onAim(event.buttons !== 0)}
        onPointerDown={() => untilReleased(onAim)}
      >
        <RowGroup className={css.head}>{head}</RowGroup>
        <RowGroup className={clsx(css.rows, lines === 2 && css.ofTwo)} style={{ height: rows.getTotalSize() }}>
          {shown.map(({ index, start }) => {
            const item = items[index];
            const place = { id: `${id}-${index}`, place: index + 2, top: start, active: index === cursor };
            return item === undefined ? null : row(item, place);
          })}
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
      <button type="button" className={css.again} onClick={() => onMore()}>
        Try again
      </button>
    </p>
  );
}
