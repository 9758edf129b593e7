import clsx from "clsx";
import { Equal, ListTree } from "lucide-react";
import { memo, type ReactNode } from "react";
import type { SpanEvent } from "@/api/client";
import { clock, count, day, dollars, duration, moment } from "@/lib/format";
import { unixMs } from "@/lib/time";
import { ErrorType } from "@/ui/error-type";
import { Cell, GridRow } from "@/ui/grid";
import { KindIcon } from "@/ui/kind";
import { Recorded } from "@/ui/recorded";
import { SpanName } from "@/ui/span-name";
import { StatusMark } from "@/ui/status";
import { useNow } from "@/ui/use-now";
import css from "./event-table.module.css";

// Icons are costly to draw anew with each row that changes.
const Mark = memo(StatusMark);
const Kind = memo(KindIcon);
const COUNTED_ELSEWHERE = "Duplicate of another span of its run, counted there";
const DUPLICATE = (
  <span className={css.same} title={COUNTED_ELSEWHERE}>
    <Equal size={13} aria-hidden />
    <span className="visually-hidden">{COUNTED_ELSEWHERE}</span>
  </span>
);
const RUN_ICON = <ListTree size={14} aria-hidden />;

interface Props {
  place: number;
  id: string;
  event: SpanEvent;
  /** Its detail shows. */
  chosen: boolean;
  /** The keyboard is on it. */
  cursor: boolean;
  onOpen: (event: SpanEvent) => void;
}

/** One span of the list. */
export const EventRow = memo(function EventRow({ place, id, event, chosen, cursor, onOpen }: Props) {
  const at = unixMs(event.start_time_unix_nano);
  return (
    <GridRow
      place={place}
      id={id}
      aria-selected={chosen}
      className={clsx(css.row, chosen && css.chosen, cursor && css.cursor)}
      onClick={() => onOpen(event)}
    >
      <Cell className={css.time}>
        <time title={moment(at)}>{shortMoment(at)}</time>
      </Cell>
      <Cell className={css.status}>
        <Mark status={event.status} />
      </Cell>
      <Cell className={css.name}>
        <Kind kind={event.kind} />
        {event.folded_into !== null && DUPLICATE}
        <SpanName name={event.name} className={css.text} />
        {event.error && <ErrorType type={event.error.type ?? "failed"} className={css.error} />}
      </Cell>
      <Cell className={css.agent}>
        <Text text={event.agent} />
      </Cell>
      <Cell className={css.what}>
        <Text text={event.model ?? event.tool} />
      </Cell>
      <Cell className={css.number}>
        {event.status === "running" ? <SoFar sinceMs={at} /> : duration(event.duration_ms)}
      </Cell>
      <Cell className={css.tokens}>
        <Tokens event={event} />
      </Cell>
      <Cell className={css.cost}>
        <Cost event={event} />
      </Cell>
      <Cell className={css.run}>
        {/* A router link costs more than the rest of the row, which matters at hundreds of rows a second. */}
        <a
          href={`#/traces/${event.trace_id}?span=${event.span_id}`}
          aria-label="Show in its run"
          title="Show in its run"
          tabIndex={-1}
          onClick={(clicked) => clicked.stopPropagation()}
        >
          {RUN_ICON}
        </a>
      </Cell>
    </GridRow>
  );
});

/** How long a call has been running; by the clock of this browser, which may differ from the program's. */
function SoFar({ sinceMs }: { sinceMs: number }) {
  const now = useNow(1000);
  const past = Math.floor(Math.max(0, now - sinceMs) / 1000) * 1000;
  return (
    <span className={css.none} title="Time so far">
      {duration(past)}
    </span>
  );
}

/** The time of day, with its date unless it is today. */
function shortMoment(ms: number): string {
  return day(ms) === day(Date.now()) ? clock(ms, true) : `${day(ms).slice(5)} ${clock(ms)}`;
}

function Text({ text }: { text: string | null }) {
  return text === null ? <span className={css.none}>–</span> : <Recorded text={text} />;
}

/** Figures that are counted at another span are quiet. */
function Figure({ event, children }: { event: SpanEvent; children: ReactNode }) {
  return event.folded_into === null ? children : <span className={css.none}>({children})</span>;
}

function Cost({ event }: { event: SpanEvent }) {
  if (event.cost_usd === null) return <span className={css.none}>–</span>;
  return <Figure event={event}>{dollars(event.cost_usd)}</Figure>;
}

function Tokens({ event }: { event: SpanEvent }) {
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
