/** Reports that the pointer is pressed, and later that it is released. */
export function untilReleased(report: (pressed: boolean) => void): void {
  report(true);
  const released = new AbortController();
  function release() {
    released.abort();
    report(false);
  }
  window.addEventListener("pointerup", release, released);
  // As a finger that begins to scroll.
  window.addEventListener("pointercancel", release, released);
}
