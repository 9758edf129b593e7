import clsx from "clsx";
import { memo } from "react";
import { placed, type TimelineBar } from "@/lib/timeline";
import { kindColor } from "./kind";
import css from "./timeline.module.css";
import { useNow } from "./use-now";

interface Props {
  bars: readonly TimelineBar[];
  /** The duration of the run; null while it is running. */
  totalMs: number | null;
  /** The start of the run, in milliseconds since the Unix epoch. */
  startMs: number;
  running: boolean;
  /** A description for screen readers. */
  label: string;
}

const GROW_MS = 250;

/** The timeline of a run on one line: a bar per call, failures and lost calls outlined; running bars grow. */
export const Timeline = memo(function Timeline({ bars, totalMs, startMs, running, label }: Props) {
  const now = useNow(running ? GROW_MS : null);
  const furthest = bars.reduce((most, bar) => Math.max(most, bar.offset_ms + (bar.duration_ms ?? 0)), 0);
  const whole = running ? Math.max(now - startMs, furthest) : (totalMs ?? furthest);
  return (
    <div className={css.track} role="img" aria-label={label} title={label}>
      {placed(bars, whole).map((bar, at) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: bars have no identity and are cheap to render again
          key={at}
          className={clsx(
            css.bar,
            bar.frame && css.frame,
            bar.status === "error" && !bar.frame && css.error,
            bar.status === "lost" && !bar.frame && css.lost,
            bar.status === "running" && css.running,
          )}
          style={{ left: `${bar.left * 100}%`, width: `${bar.width * 100}%`, color: kindColor(bar.kind) }}
        />
      ))}
    </div>
  );
});
