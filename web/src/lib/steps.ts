/** Work on a long list that may rest between two parts of it. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** After so many rows a pass may rest. */
export const PART = 4096;

/** How long work goes on before the browser has its turn: less than a frame. */
const SLICE_MS = 8;

/** Do all of it at once. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Do it in slices, between which the page is drawn and answers; the returned function gives it up. */
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
