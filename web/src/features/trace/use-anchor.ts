import { type RefObject, useCallback, useEffect, useEffectEvent, useLayoutEffect, useRef } from "react";
import type { SpanRow } from "@/lib/spans";
import { untilReleased } from "@/ui/until-released";
import { AIMING_MS } from "@/ui/use-steady-rows";
import type { Outline } from "./use-outline";

interface Parts {
  scroller: RefObject<HTMLElement | null>;
  outline: Outline;
  rows: readonly SpanRow[];
  lineHeight: number;
  headHeight: number;
  running: boolean;
}

/** The line that stays in place, and where the list was. */
interface Anchor {
  id: string | undefined;
  /** From the top of the line to the top of the visible lines, in pixels. */
  offset: number;
  atEnd: boolean;
  /** The edges of the list in the window. */
  top: number;
  bottom: number;
}

/** Space around the lines, without which a list cannot be scrolled beyond its ends. */
const [ABOVE, BELOW] = ["--above", "--below"];

/**
 * Keeps the line under the pointer, else the topmost one, where it is on the screen; returns whether the user is about
 * to click.
 *
 * Lines come and go above it, and so do strips above the list. A list at its top moves, unless the user is about to
 * click; one at its end stays there while the run grows.
 */
export function useAnchor({ scroller, rows, outline, lineHeight, headHeight, running }: Parts) {
  const { lines, tree } = outline;
  const length = headHeight + lines.row.length * lineHeight;
  const anchor = useRef<Anchor | null>(null);
  const pointer = useRef({ y: Number.NaN, aimsUntil: 0 });
  const isAiming = useCallback(() => Date.now() < pointer.current.aimsUntil, []);

  const remember = useEffectEvent(() => {
    const element = scroller.current;
    if (!element) return;
    const { top, bottom } = element.getBoundingClientRect();
    const before = anchor.current;
    // With another bottom, it was the window that changed.
    const isPushed = before && before.top !== top && Math.abs(before.bottom - bottom) < 1;
    if (isPushed && (positionOf(element) > 0 || isAiming())) {
      moveTo(element, positionOf(element) + top - before.top, length);
    }
    const position = positionOf(element);
    const topmost = Math.max(0, Math.floor(position / lineHeight));
    const pointed = Math.floor((position + pointer.current.y - top - headHeight) / lineHeight);
    const line = pointed > topmost && pointed < lines.row.length ? pointed : topmost;
    const atEnd = position > 0 && position + element.clientHeight >= length - lineHeight;
    anchor.current = { id: rows[lines.row[line] ?? -1]?.id, offset: position - line * lineHeight, atEnd, top, bottom };
    if (element.style.getPropertyValue(BELOW)) setSpace(element, BELOW, position + element.clientHeight - length);
  });

  const keepLine = useEffectEvent(() => {
    const element = scroller.current;
    const { id, offset, atEnd } = anchor.current ?? {};
    if (!element || id === undefined || offset === undefined) return;
    if (running && atEnd && !isAiming()) {
      moveTo(element, length - element.clientHeight, length);
      return;
    }
    if (positionOf(element) <= 0 && !isAiming()) return;
    let row = tree.places.get(id) ?? -1;
    while (row >= 0 && lines.line[row] === -1) row = tree.parent[row] ?? -1;
    if (row >= 0) moveTo(element, (lines.line[row] as number) * lineHeight + offset, length);
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: after each new layout of lines, and no other time
  useLayoutEffect(() => keepLine(), [lines]);

  const pointAt = useEffectEvent((y: number, pressed: boolean) => {
    const aimsUntil = pressed ? Number.POSITIVE_INFINITY : Date.now() + AIMING_MS;
    pointer.current = { y, aimsUntil };
    remember();
  });

  const pointAway = useEffectEvent(() => {
    const element = scroller.current;
    pointer.current = { y: Number.NaN, aimsUntil: 0 };
    if (!element) return;
    const last = Math.max(0, length - element.clientHeight);
    moveTo(element, Math.min(last, Math.max(0, positionOf(element))), length);
  });

  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const gone = new AbortController();
    const passive = { signal: gone.signal, passive: true };
    element.addEventListener("scroll", () => remember(), passive);
    element.addEventListener("pointermove", ({ clientY, buttons }) => pointAt(clientY, buttons !== 0), passive);
    element.addEventListener("pointerleave", () => pointAway(), passive);
    const press = ({ clientY }: PointerEvent) => untilReleased((pressed) => pointAt(clientY, pressed));
    element.addEventListener("pointerdown", press, passive);
    const sizes = new ResizeObserver(() => remember());
    sizes.observe(element);
    return () => {
      gone.abort();
      sizes.disconnect();
    };
  }, [scroller]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => remember(), [lines, lineHeight]);

  return isAiming;
}

/** How far the lines are scrolled; below 0 with space above them. */
function positionOf(element: HTMLElement): number {
  return element.scrollTop - (Number.parseFloat(element.style.getPropertyValue(ABOVE)) || 0);
}

function moveTo(element: HTMLElement, position: number, length: number): void {
  if (Math.abs(position - positionOf(element)) <= 1) return;
  setSpace(element, ABOVE, -position);
  setSpace(element, BELOW, position + element.clientHeight - length);
  element.scrollTop = Math.max(0, position);
}

function setSpace(element: HTMLElement, name: string, height: number): void {
  if (height > 0) element.style.setProperty(name, `${height}px`);
  else element.style.removeProperty(name);
}
