import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useRef } from "react";
import type { SpanRow } from "@/lib/spans";
import { useAnchor } from "./use-anchor";
import type { Outline } from "./use-outline";

interface Parts {
  scroller: RefObject<HTMLElement | null>;
  rows: readonly SpanRow[];
  outline: Outline;
  lineHeight: number;
  /** The sticky part at the top of the scroller. */
  headHeight: number;
  /** The line under the cursor, and its span. */
  cursor: number;
  cursorKey: string | null;
  /** Whether new rows appear at the end of the list. */
  running: boolean;
  /** Whether the newest call is kept in view. */
  follow: boolean;
  /** Called when the user scrolls back. */
  onLeave: () => void;
}

/** Keeps the visible lines in place while lines come and go above, and scrolls to the cursor when it moves. */
export function useScroll(parts: Parts): void {
  const isAiming = useAnchor(parts);
  useReveal(parts);
  useNewest(parts, isAiming);
}

/** Keeps the newest call in view, until the user scrolls back. */
function useNewest(
  { scroller, rows, outline, lineHeight, headHeight, follow, onLeave }: Parts,
  isAiming: () => boolean,
) {
  const { lines, tree } = outline;
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!follow || !element || isAiming()) return;
    let newest = rows.findLastIndex((row) => !row.inferred);
    while (newest >= 0 && lines.line[newest] === -1) newest = tree.parent[newest] ?? -1;
    if (newest < 0) return;
    const top = (lines.line[newest] as number) * lineHeight;
    const shown = element.clientHeight - headHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + lineHeight > element.scrollTop + shown) element.scrollTop = top + lineHeight - shown;
  }, [scroller, rows, lines, tree, lineHeight, headHeight, follow, isAiming]);

  const leave = useEffectEvent((event: WheelEvent) => {
    if (event.deltaY < 0 && !event.ctrlKey) onLeave();
  });
  useEffect(() => {
    const element = scroller.current;
    if (!follow || !element) return;
    const listener = (event: WheelEvent) => leave(event);
    element.addEventListener("wheel", listener, { passive: true });
    return () => element.removeEventListener("wheel", listener);
  }, [scroller, follow]);
}

function useReveal({ scroller, cursor, cursorKey, lineHeight, headHeight }: Parts): void {
  const shown = useRef<string | null>(null);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element || cursor < 0 || shown.current === cursorKey) return;
    shown.current = cursorKey;
    const top = cursor * lineHeight;
    const from = element.scrollTop;
    const to = from + element.clientHeight - headHeight;
    if (top >= from && top + lineHeight <= to) return;
    const near = top >= from - 3 * lineHeight && top <= to + 3 * lineHeight;
    if (!near) element.scrollTop = top - (to - from) / 3;
    else if (top < from) element.scrollTop = top;
    else element.scrollTop = top + lineHeight - (to - from);
  }, [scroller, cursor, cursorKey, lineHeight, headHeight]);

  useEffect(() => {
    const element = scroller.current;
    if (!element || cursor < 0) return;
    let before = element.clientHeight;
    const bottom = headHeight + (cursor + 1) * lineHeight;
    // The header may grow by a line once fonts are loaded, and the window may be resized.
    const sizes = new ResizeObserver(() => {
      const wasSeen = bottom <= element.scrollTop + before;
      before = element.clientHeight;
      if (wasSeen && bottom > element.scrollTop + before) element.scrollTop = bottom - before;
    });
    sizes.observe(element);
    return () => sizes.disconnect();
  }, [scroller, cursor, lineHeight, headHeight]);
}
