import type { ReactNode } from "react";
import type { SpanEvent } from "@/api/client";
import { count, dollars, duration } from "@/lib/format";
import { unixMs } from "@/lib/time";
import { useNow } from "@/ui/use-now";
import css from "./event-table.module.css";

/** The duration of a span, or how long it has been running. */
export function SoFar({ event }: { event: SpanEvent }) {
  if (event.status !== "running") return duration(event.duration_ms);
  return <Running sinceMs={unixMs(event.start_time_unix_nano)} />;
}

/** By this browser's clock, which may differ from the program's. */
function Running({ sinceMs }: { sinceMs: number }) {
  const now = useNow(1000);
  const past = Math.floor(Math.max(0, now - sinceMs) / 1000) * 1000;
  return (
    <span className={css.none} title="Time so far">
      {duration(past)}
    </span>
  );
}

/** Figures of duplicates are muted: another span counts them. */
function Figure({ event, children }: { event: SpanEvent; children: ReactNode }) {
  return event.folded_into === null ? children : <span className={css.none}>({children})</span>;
}

/** The cost of a span. */
export function Cost({ event }: { event: SpanEvent }) {
  if (event.cost_usd === null) return <span className={css.none}>–</span>;
  return <Figure event={event}>{dollars(event.cost_usd)}</Figure>;
}

/** The input and output tokens of a span. */
export function Tokens({ event }: { event: SpanEvent }) {
  const { input_tokens, output_tokens, cached_tokens } = event;
  if (input_tokens === null && output_tokens === null) return <span className={css.none}>–</span>;
  const cached = cached_tokens ? `, ${count(cached_tokens)} of the input from a cache` : "";
  return (
    <span title={`${count(input_tokens)} in, ${count(output_tokens)} out${cached}`}>
      <Figure event={event}>
        {count(input_tokens)} <span className={css.none}>→</span> {count(output_tokens)}
      </Figure>
    </span>
  );
}
