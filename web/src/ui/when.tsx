import { ago, moment } from "@/lib/format";
import { type UnixNano, unixMs } from "@/lib/time";
import { useNow } from "./use-now";

const TICK_MS = 5_000;

/** How long ago something was, updated as time passes; the exact time is in the title. */
export function When({ time, className }: { time: UnixNano; className?: string | undefined }) {
  const at = unixMs(time);
  const now = useNow(TICK_MS);
  return (
    <time className={className} dateTime={new Date(at).toISOString()} title={moment(at)}>
      {ago(at, Math.max(at, now))}
    </time>
  );
}
