import { useVirtualizer } from "@tanstack/react-virtual";
import clsx from "clsx";
import { ArrowUp } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useId, useRef } from "react";
import { plural } from "@/lib/format";
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
  /** Whether there are more to load, or why they did not come. */
  more: "none" | "there" | "coming" | "failed";
  onMore: () => void;
  onOpen: (index: number) => void;
  onDelete?: (index: number) => void;
  /** Pick a row or let it go; `range`: and those between it and the one before. */
  onPick?: (index: number, range: boolean) => void;
  /** Any other key on a row. */
  onKey?: (key: string, index: number) => void;
  className?: string | undefined;
}

/** From how many rows before the end the next page is asked for. */
const AHEAD = 30;

/** A live list with columns, of which only the rows in view exist; it can be gone through with the keyboard. */
export function VirtualGrid(props: Props) {
  const { label, noun, lines = 1, keys, head, row, more, onMore, onOpen, onDelete, onPick, className } = props;
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
    // The heading stays on top of the rows.
    scrollPaddingEnd: headHeight,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another height places every row anew
  useEffect(() => rows.measure(), [rows, rowHeight]);

  const { cursor, setCursor, onKeyDown } = useRowKeys({
    count: keys.length,
    show: (at) => rows.scrollToIndex(at),
    open: onOpen,
  });
  const steady = useSteadyRows({ scroller, keys, rowHeight, cursor, setCursor });
  useListKeys(scroller);

  const shown = rows.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (more === "there" && last >= keys.length - AHEAD) onMore();
  }, [more, last, keys.length, onMore]);

  function onKey(event: KeyboardEvent) {
    const isHere = cursor >= 0 && event.target === event.currentTarget;
    if (event.key === "Delete" && isHere) onDelete?.(cursor);
    else if (event.key.toLowerCase() === "x" && isHere && !event.ctrlKey && !event.metaKey)
      onPick?.(cursor, event.shiftKey);
    else {
      onKeyDown(event);
      if (isHere && !event.defaultPrevented && !event.ctrlKey && !event.metaKey) props.onKey?.(event.key, cursor);
    }
  }

  return (
    <div className={clsx(css.grid, className)}>
      {steady.unseen > 0 && (
        <button type="button" className={css.unseen} onClick={steady.toTop}>
          <ArrowUp size={14} aria-hidden />
          {plural(steady.unseen, `new ${noun}`)}
        </button>
      )}
      {/* biome-ignore lint/a11y/useSemanticElements: a virtual list has no table rows for what is out of view */}
      <div
        ref={scroller}
        role="grid"
        aria-label={label}
        aria-rowcount={more === "none" ? keys.length + 1 : -1}
        aria-activedescendant={shown.some((each) => each.index === cursor) ? `${id}-${cursor}` : undefined}
        tabIndex={0}
        className={css.scroller}
        onKeyDown={onKey}
        onScroll={steady.onScroll}
        onPointerMove={steady.onPointerMove}
      >
        <RowGroup className={css.head}>{head}</RowGroup>
        <RowGroup className={clsx(css.rows, lines === 2 && css.ofTwo)} style={{ height: rows.getTotalSize() }}>
          {shown.map(({ index, start }) =>
            row(index, { id: `${id}-${index}`, place: index + 2, top: start, active: index === cursor }),
          )}
        </RowGroup>
      </div>
      {(more === "failed" || more === "coming") && <More failed={more === "failed"} noun={noun} onMore={onMore} />}
    </div>
  );
}

function More({ failed, noun, onMore }: { failed: boolean; noun: string; onMore: () => void }) {
  if (!failed) {
    return (
      <p className={css.foot} role="status">
        Loading more {noun}s
      </p>
    );
  }
  return (
    <p className={css.foot} role="alert">
      More {noun}s could not be loaded.{" "}
      <button type="button" className={css.again} onClick={onMore}>
        Try again
      </button>
    </p>
  );
}
