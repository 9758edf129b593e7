/**
 * Scroll a frame so that a part of it is in the middle, unless it is completely visible already.
 *
 * `scrollIntoView` would move everything around the frame as well.
 */
export function centre(frame: HTMLElement, part: Element): void {
  const outer = frame.getBoundingClientRect();
  const inner = part.getBoundingClientRect();
  const isBeside = inner.left < outer.left || inner.right > outer.right;
  if (!isBeside && inner.top >= outer.top && inner.bottom <= outer.bottom) return;
  frame.scrollBy(
    inner.left + inner.width / 2 - outer.left - outer.width / 2,
    inner.top + inner.height / 2 - outer.top - outer.height / 2,
  );
}

/** Scroll a frame up or down just far enough to show a part of it completely. */
export function reveal(frame: HTMLElement, part: Element): void {
  const outer = frame.getBoundingClientRect();
  const inner = part.getBoundingClientRect();
  if (inner.top < outer.top) frame.scrollBy(0, inner.top - outer.top);
  else if (inner.bottom > outer.bottom) frame.scrollBy(0, inner.bottom - outer.bottom);
}
