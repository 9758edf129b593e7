import { useIsFetching } from "@tanstack/react-query";
import { useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import clsx from "clsx";
import {
  type RefObject,
  useCallback,
  useEffect,
  useEffectEvent,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { type Call, callSteps } from "@/lib/calls";
import type { SpanRow } from "@/lib/spans";
import { PART, type Steps } from "@/lib/steps";
import { Empty, Skeleton } from "@/ui/notice";
import { useInSlices } from "@/ui/use-in-slices";
import { useListKeys } from "@/ui/use-list-keys";
import { useReady } from "@/ui/use-ready";
import { useRowKeys } from "@/ui/use-row-keys";
import { useSettled } from "@/ui/use-settled";
import { type Entry, placeOf, transcriptSteps } from "./entries";
import { Item } from "./item";
import css from "./transcript.module.css";
import { useFollowing, useHeld } from "./use-scroll";

interface Props {
  rows: readonly SpanRow[];
  selected: string | null;
  onSelect: (spanId: string) => void;
}

const HEIGHTS: Record<Entry["kind"], number> = { input: 110, agent: 48, turn: 180, tool: 84, outcome: 56 };
const AHEAD = 6;

/** A run as a conversation in order of time: what each agent received, said and did. */
export function Transcript({ rows, selected, onSelect }: Props) {
  const settled = useSettled(rows);
  const { calls, story, colors } = useInSlices(settled, settled.length, steps);
  if (story.entries.length === 0) {
    if (rows.length === 0) return <Skeleton />;
    return <Empty title="No messages in this run">The waterfall shows all of it.</Empty>;
  }
  const place = selected === null ? null : placeOf(story, calls, selected);
  return <Story entries={story.entries} colors={colors} place={place} onSelect={onSelect} />;
}

function* steps(rows: readonly SpanRow[]) {
  const calls = yield* callSteps(rows);
  const story = yield* transcriptSteps(calls);
  return { calls, story, colors: yield* colorsOf(story.entries) };
}

interface StoryProps {
  entries: readonly Entry[];
  /** The colours of the threads beside each entry. */
  colors: ReadonlyMap<Entry, readonly (string | null)[]>;
  /** The entry of the selected span. */
  place: number | null;
  onSelect: (spanId: string) => void;
}

function Story({ entries, colors, place, onSelect }: StoryProps) {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const frame = useRef<HTMLDivElement>(null);
  const id = useId();
  const list = useVirtualizer({
    count: entries.length,
    getScrollElement: () => frame.current,
    estimateSize: (at) => HEIGHTS[entries[at]?.kind ?? "tool"],
    getItemKey: (at) => entries[at]?.id ?? at,
    overscan: AHEAD,
    measureElement: heightOf,
    scrollPaddingStart: 8,
  });
  const keys = useRowKeys({
    count: entries.length,
    show: (at) => {
      list.scrollToIndex(at, { align: "auto" });
      const call = entries[at]?.call;
      if (call) onSelect(call.row.id);
    },
    open: (at) => toggle(entries[at]?.id ?? ""),
  });
  const toggle = useCallback((entry: string) => {
    setOpened((before) => {
      const next = new Set(before);
      if (!next.delete(entry)) next.add(entry);
      return next;
    });
  }, []);
  const select = useCallback(
    (call: Call) => {
      onSelect(call.row.id);
      frame.current?.focus({ preventScroll: true });
    },
    [onSelect],
  );
  useListKeys(frame);
  useSelected(entries, place, keys, (at, align) => list.scrollToIndex(at, { align }));
  const size = list.getTotalSize();
  const isHeld = useHeld(frame, size, () => place !== null && list.scrollToIndex(place, { align: "start" }));
  useFollowing(frame, size, isHeld);

  const items = list.getVirtualItems();
  const ready = useLoaded(frame, items.length > 0);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls of a form
    <div
      ref={frame}
      role="group"
      aria-label="Transcript"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by keyboard
      tabIndex={0}
      className={css.page}
      aria-activedescendant={isShown(items, keys.cursor) ? `${id}${keys.cursor}` : undefined}
      onKeyDown={keys.onKeyDown}
    >
      {!ready && (
        <div className={css.waiting}>
          <Skeleton rows={10} />
        </div>
      )}
      <div className={clsx(css.sheet, !ready && css.held)} style={{ height: size }}>
        {/* In normal flow, so that a growing item never overlaps the next one. */}
        <div className={css.shown} style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}>
          {items.map(({ key, index }) => {
            const entry = entries[index];
            return (
              entry && (
                <div key={key} data-index={index} ref={list.measureElement}>
                  <Item
                    id={`${id}${index}`}
                    entry={entry}
                    open={opened.has(entry.id)}
                    selected={isSelected(entries, index, place, keys.cursor)}
                    colors={colors.get(entry) ?? NO_COLORS}
                    onToggle={toggle}
                    onSelect={select}
                  />
                </div>
              )
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** How long the first items are waited for, in whose place a skeleton shows. */
const MOST_WAIT_MS = 2_000;

/** Whether the items that show first are loaded, or it took too long: until then their heights are guesses. */
function useLoaded(frame: RefObject<HTMLElement | null>, hasItems: boolean): boolean {
  const loading = useIsFetching({ queryKey: ["event"] });
  const [loaded, setLoaded] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: an item that is loaded is no longer pending
  useLayoutEffect(() => {
    if (hasItems && frame.current?.querySelector("[data-pending]") === null) setLoaded(true);
  }, [frame, hasItems, loading]);
  return useReady(true, !loaded, MOST_WAIT_MS);
}

/** The exact height of an item, since rounding errors would add up to gaps. */
function heightOf(
  element: Element,
  entry: ResizeObserverEntry | undefined,
  list: Virtualizer<HTMLDivElement, Element>,
): number {
  const observed = entry?.borderBoxSize[0]?.blockSize;
  if (observed !== undefined) return observed;
  // Items are measured only once while scrolling, since each measurement lays out the page.
  const known = list.itemSizeCache.get(list.options.getItemKey(list.indexFromElement(element)));
  return known ?? element.getBoundingClientRect().height;
}

/** Scroll to the selected entry (the first time, to its top), and move the cursor there. */
function useSelected(
  entries: readonly Entry[],
  place: number | null,
  { cursor, setCursor }: { cursor: number; setCursor: (at: number) => void },
  scroll: (at: number, align: "start" | "auto") => void,
): void {
  const isFirst = useRef(true);
  const show = useEffectEvent((at: number) => {
    // The end of a thread has the same span as its start; if the cursor is there, it stays.
    if (entries[cursor]?.call === entries[at]?.call) return;
    setCursor(at);
    scroll(at, isFirst.current ? "start" : "auto");
    isFirst.current = false;
  });
  useEffect(() => {
    if (place !== null) show(place);
  }, [place]);
}

function isShown(items: readonly { index: number }[], at: number): boolean {
  return items.some(({ index }) => index === at);
}

/** Of the start and the end of the same span, only the one under the cursor is selected. */
function isSelected(entries: readonly Entry[], at: number, place: number | null, cursor: number): boolean {
  if (place === null) return false;
  const chosen = entries[place]?.call;
  return at === (entries[cursor]?.call === chosen ? cursor : place);
}

const COLORS = ["agent", "llm", "tool", "resource", "prompt", "rpc"] as const;

const NO_COLORS: readonly string[] = [];

/** The colours of the threads beside each entry: one for each agent by name, in order of appearance. */
function* colorsOf(entries: readonly Entry[]): Steps<StoryProps["colors"]> {
  const names = new Map<string, string>();
  const colorOf = ({ agent }: Call) => {
    if (agent === null) return null;
    const color = names.get(agent) ?? `var(--kind-${COLORS[names.size % COLORS.length]})`;
    names.set(agent, color);
    return color;
  };
  const colors = new Map<Entry, readonly (string | null)[]>();
  for (const [count, entry] of entries.entries()) {
    if (count % PART === 0) yield;
    colors.set(entry, [...entry.outer.map(colorOf), colorOf(entry.thread)]);
  }
  return colors;
}
