/** Work on a long list that can pause between two parts. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** The number of rows after which work may pause. */
export const PART = 4096;

/** How long work continues before the browser gets its turn: less than a frame. */
const SLICE_MS = 8;

/** Do all the work at once. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Do the work in slices, so that the page can render and respond in between; the returned function cancels it. */
export function inSlices<T>(steps: Steps<T>, onDone: (result: T) => void): () => void {
  let timer = setTimeout(work);
  function work() {
    const end = performance.now() + SLICE_MS;
    do {
      const { done, value } = steps.next();
      if (done) return onDone(value);
    } while (performance.now() < end);
    timer = setTimeout(work);
  }
  return () => clearTimeout(timer);
}
