/**
 * Put a part of a scrolling frame into its middle, unless all of it is in view already.
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

/** Scroll a frame just as far down or up as it takes to see a part of it whole. */
export function reveal(frame: HTMLElement, part: Element): void {
  const outer = frame.getBoundingClientRect();
  const inner = part.getBoundingClientRect();
  if (inner.top < outer.top) frame.scrollBy(0, inner.top - outer.top);
  else if (inner.bottom > outer.bottom) frame.scrollBy(0, inner.bottom - outer.bottom);
}
