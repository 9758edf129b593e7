import { useRef } from "react";
import { duration } from "@/lib/format";
import { useSteps } from "./use-clock";

/** How long something has been running, as it passes. */
export function RunningTime({ now }: { now: () => number }) {
  const text = useRef<HTMLSpanElement>(null);
  useSteps(() => {
    if (text.current) text.current.textContent = duration(now());
  });
  return <span ref={text} />;
}
