/** A job that is asked for more often than it should run. */
export interface Paced {
  /** Run now if the pause since the last run is over, otherwise once when it is. */
  ask: () => void;
  stop: () => void;
}

/**
 * Keep a job to a pace: the first request runs at once, later ones wait until `pauseMs` have passed since the last run
 * began, and never run beside it. A job that takes long is given four times its own length, so that a slow server is
 * left some air. Nothing asked for is forgotten.
 */
export function paced(job: () => Promise<unknown>, pauseMs: number): Paced {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let state: "idle" | "busy" | "waiting" = "idle";
  let again = false;
  let stopped = false;

  async function run() {
    const began = performance.now();
    state = "busy";
    again = false;
    // What went wrong is told where the job keeps its result; the next request tries again.
    await job().catch(() => {});
    if (stopped) return;
    const took = performance.now() - began;
    state = "waiting";
    timer = setTimeout(rested, Math.max(0, Math.max(pauseMs, took * 4) - took));
  }

  function rested() {
    state = "idle";
    if (again) void run();
  }

  return {
    ask() {
      if (stopped) return;
      if (state === "idle") void run();
      else again = true;
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
