/** Runs a job when it is its turn. */
export type Lane = <T>(job: () => Promise<T>, signal: AbortSignal) => Promise<T>;

/** A lane for this many concurrent jobs; others wait in order, and a job aborted while it waits never runs. */
export function laneOf(width: number): Lane {
  let running = 0;
  const waiting: (() => void)[] = [];

  function turn(signal: AbortSignal): Promise<void> {
    return new Promise((go, leave) => {
      function enter() {
        signal.removeEventListener("abort", give);
        running += 1;
        go();
      }
      function give() {
        waiting.splice(waiting.indexOf(enter), 1);
        leave(signal.reason);
      }
      signal.throwIfAborted();
      if (running < width) return enter();
      waiting.push(enter);
      signal.addEventListener("abort", give, { once: true });
    });
  }

  return async (job, signal) => {
    await turn(signal);
    try {
      return await job();
    } finally {
      running -= 1;
      waiting.shift()?.();
    }
  };
}
