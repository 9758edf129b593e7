/** A job that is requested more often than it should run. */
export interface Paced {
  /** Run now if the pause since the last run is over, otherwise once it is. */
  ask: () => void;
  stop: () => void;
}

/**
 * Limit the rate of a job: the first request runs at once; later ones wait until `pauseMs` have passed since the last
 * run began, and never run concurrently. After a slow run the interval is four times its duration, to spare the server.
 * No request is forgotten.
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
    // The job reports its own errors; the next request tries again.
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
