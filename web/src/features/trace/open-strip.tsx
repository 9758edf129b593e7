import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { isServed } from "@/api/client";
import { statsQuery } from "@/api/queries";
import { calleeName } from "@/lib/calls";
import { count, duration } from "@/lib/format";
import type { SpanRow } from "@/lib/spans";
import { visibleLine } from "@/lib/visible";
import { KindIcon, kindLabel } from "@/ui/kind";
import css from "./open-strip.module.css";
import { RunningTime } from "./running-time";
import type { Clock } from "./use-clock";

interface Props {
  /** The calls that the run is waiting for, the longest first. */
  open: readonly SpanRow[];
  clock: Clock;
  selected: string | null;
  onSelect: (spanId: string) => void;
}

const MOST_SHOWN = 4;
/** How many times its usual time makes a call a slow one. */
const SLOW = 3;

/** What a live run is waiting for: each call with its time so far, and its usual time. */
export function OpenStrip({ open, clock, selected, onSelect }: Props) {
  if (open.length === 0) return null;
  return (
    <section className={css.strip} aria-label="Open now">
      <span className={css.lead} title="Go to the oldest (o)">
        {count(open.length)} open now:
      </span>
      <ul className={css.calls}>
        {open.slice(0, MOST_SHOWN).map((row) => (
          <li key={row.id}>
            <OpenCall row={row} clock={clock} selected={row.id === selected} onSelect={onSelect} />
          </li>
        ))}
      </ul>
      {open.length > MOST_SHOWN && <span className={css.lead}>and {count(open.length - MOST_SHOWN)} more</span>}
    </section>
  );
}

interface CallProps {
  row: SpanRow;
  clock: Clock;
  selected: boolean;
  onSelect: (spanId: string) => void;
}

function OpenCall({ row, clock, selected, onSelect }: CallProps) {
  const filter = { kind: [row.kind], name: row.name, status: ["ok" as const], duplicates: "false" as const };
  const { data } = useQuery({ ...statsQuery({ filter }), staleTime: 60_000, enabled: isServed() });
  const usual = data && data.total.count > 0 ? data.total.p50_ms : null;
  const name = visibleLine(calleeName(row));
  return (
    <button
      type="button"
      className={css.call}
      aria-current={selected || undefined}
      onClick={() => onSelect(row.id)}
      title={`${kindLabel(row.kind)} ${name}`}
    >
      <KindIcon kind={row.kind} />
      <bdi className={css.name}>{name}</bdi>
      <span className={clsx(css.time, usual !== null && clock.now() - row.startMs > SLOW * usual && css.slow)}>
        <RunningTime now={() => Math.max(0, clock.now() - row.startMs)} />
      </span>
      {usual !== null && <span className={css.usual}>usually {duration(usual)}</span>}
    </button>
  );
}
