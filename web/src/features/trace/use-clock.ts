import { useEffect, useEffectEvent, useMemo, useState } from "react";
import { isServed } from "@/api/client";
import { type UnixNano, unixMs } from "@/lib/time";
import type { Picture } from "./picture";
import type { Range } from "./time-scale";

/** The extra time that a running trace shows, so that bars grow into it and the rest stays in place. */
const AHEAD = 1.12;

export interface Clock {
  /** The time range of the trace; a little more than has passed while it runs. */
  whole: Range;
  /** Milliseconds from the start of the trace until now, where running spans end. */
  now: () => number;
  running: boolean;
}

/** The clock of a trace, which runs while one of its spans does. */
export function useClock({ ended, running: unended }: Pick<Picture, "ended" | "running">, base: UnixNano): Clock {
  // In a file it stands still.
  const running = unended && isServed();
  const now = useMemo(() => {
    const start = unixMs(base);
    // Another machine's clock may be ahead of this one.
    return () => (running ? Math.max(ended.to, Date.now() - start) : ended.to);
  }, [base, running, ended.to]);
  const [until, setUntil] = useState(() => now() * AHEAD);
  const tick = useEffectEvent(() => {
    const at = now();
    if (at > until) setUntil(at * AHEAD);
  });
  useEffect(() => {
    if (!running) return;
    const timer = window.setInterval(() => tick(), 200);
    return () => window.clearInterval(timer);
  }, [running]);
  const whole = useMemo(
    () => (running ? { from: ended.from, to: Math.max(ended.to, until) } : ended),
    [running, ended, until],
  );
  return { whole, now, running };
}

/** How often running spans are redrawn: each time costs a layout, sixty a second a third of a processor. */
const STEP_MS = 100;
const CALM_STEP_MS = 1000;

const listeners = new Set<() => void>();
let timer = 0;

function tell() {
  for (const listener of listeners) listener();
}

/** Call back ten times a second while mounted, all together; once a second with reduced motion. */
export function useSteps(callback: () => void): void {
  const latest = useEffectEvent(callback);
  useEffect(() => {
    const listener = () => latest();
    listener();
    listeners.add(listener);
    if (listeners.size === 1) {
      const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
      timer = window.setInterval(tell, calm ? CALM_STEP_MS : STEP_MS);
    }
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) window.clearInterval(timer);
    };
  }, []);
}
