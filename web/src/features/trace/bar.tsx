import clsx from "clsx";
import { type CSSProperties, memo, type RefObject, useRef } from "react";
import { duration } from "@/lib/format";
import type { SpanRow } from "@/lib/spans";
import { kindColor } from "@/ui/kind";
import { StatusMark } from "@/ui/status";
import css from "./bar.module.css";
import { type BarPlace, barPlace, labelOffset, saysStatus } from "./bar-place";
import { placeOf, type Range } from "./time-scale";
import { useSteps } from "./use-clock";

interface Props {
  row: SpanRow;
  view: Range;
  now: () => number;
  /** Pairs of start and end in which everything waited for this span. */
  critical: readonly number[] | undefined;
}

/** A span drawn over the time it took, with how long that was and how it ended. */
export const Bar = memo(function Bar({ row, view, now, critical }: Props) {
  if (row.status === "running") return <RunningBar row={row} view={view} now={now} critical={critical} />;
  const place = barPlace(row, view, 0);
  return (
    <>
      {isInSight(place) && <div className={clsx(css.bar, css[row.status])} style={barStyle(row, place)} />}
      {critical && <Critical pairs={critical} view={view} />}
      <BarLabel row={row} place={place} text={row.durationMs === null ? "" : duration(row.durationMs)} />
    </>
  );
});

/** Grows by itself, without React. */
function RunningBar({ row, view, now, critical }: Props) {
  const bar = useRef<HTMLDivElement>(null);
  const label = useRef<HTMLDivElement>(null);
  const text = useRef<HTMLSpanElement>(null);
  useSteps(() => {
    if (!bar.current || !label.current || !text.current) return;
    const at = now();
    const place = barPlace(row, view, at);
    bar.current.hidden = !isInSight(place);
    bar.current.style.left = `${place.left}%`;
    bar.current.style.width = `${place.width}%`;
    Object.assign(label.current.style, labelOffset(place));
    label.current.dataset.place = place.label;
    text.current.textContent = duration(Math.max(0, at - row.startMs));
  });
  const start = barPlace(row, view, row.startMs);
  return (
    <>
      <div ref={bar} className={clsx(css.bar, css.running)} style={barStyle(row, start)} />
      {critical && <Critical pairs={critical} view={view} />}
      <BarLabel row={row} place={start} label={label} words={text} />
    </>
  );
}

/** The stretches of the critical path over a bar. */
export function Critical({ pairs, view }: { pairs: readonly number[]; view: Range }) {
  const marks = [];
  for (let at = 0; at < pairs.length; at += 2) {
    const place = placeOf(pairs[at] as number, pairs[at + 1] as number, view);
    if (place) marks.push(<div key={at} className={css.critical} style={percent(place)} />);
  }
  return marks;
}

interface LabelProps {
  row: SpanRow;
  place: BarPlace;
  text?: string;
  label?: RefObject<HTMLDivElement | null>;
  words?: RefObject<HTMLSpanElement | null>;
}

function BarLabel({ row, place, text, label, words }: LabelProps) {
  return (
    <div ref={label} className={css.label} style={labelOffset(place)} data-place={place.label}>
      {words ? <span ref={words} /> : text}
      {row.durationMs !== null && row.durationMs < 0 && (
        <span className={css.note} title="It ended before it began: two clocks disagree.">
          clock skew
        </span>
      )}
      {saysStatus(row) && <StatusMark status={row.status} label size={13} />}
    </div>
  );
}

function isInSight(place: BarPlace): boolean {
  return place.label !== "earlier" && place.label !== "later";
}

function barStyle(row: SpanRow, place: BarPlace): CSSProperties {
  return { "--kind": kindColor(row.kind), ...percent(place) } as CSSProperties;
}

function percent(place: { left: number; width: number }): CSSProperties {
  return { left: `${place.left}%`, width: `${place.width}%` };
}
