import { type RefObject, useLayoutEffect, useState } from "react";

const STEP = 4;

/** The lines of a scrolled list to render: the visible ones, and some above and below. */
export interface Window {
  first: number;
  /** One past the last. */
  last: number;
  /** How many lines there are at most at this height: a line and the one `size` further never show together. */
  size: number;
}

/** The visible part of a list of equally high lines; it changes every few lines, not with each pixel. */
export function useWindow(scroller: RefObject<HTMLElement | null>, lineHeight: number, count: number): Window {
  const [from, setFrom] = useState(0);
  const [size, setSize] = useState(10 * STEP);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    function look() {
      if (element) setFrom((Math.floor(element.scrollTop / lineHeight / STEP) - 1) * STEP);
    }
    look();
    const sizes = new ResizeObserver(() => setSize((Math.ceil(element.clientHeight / lineHeight / STEP) + 3) * STEP));
    sizes.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, [scroller, lineHeight]);
  const first = Math.max(0, Math.min(from, count - size));
  return { first, last: Math.min(first + size, count), size };
}
