import clsx from "clsx";
import { type CSSProperties, memo, useMemo } from "react";
import { duration } from "@/lib/format";
import { endMs, type SpanRow } from "@/lib/spans";
import { kindColor } from "@/ui/kind";
import { StatusMark } from "@/ui/status";
import { Critical } from "./bar";
import css from "./bar.module.css";
import { labelOffset, saysStatus, stretchPlace } from "./bar-place";
import { placeOf, type Range } from "./time-scale";

/** Thinner gaps than this share of the view are not seen. */
const CELLS = 300;

interface Props {
  rows: readonly SpanRow[];
  members: readonly number[];
  view: Range;
  now: () => number;
  critical: readonly number[] | undefined;
}

/** Several spans on one line: where each of them was, and how long all of them took together. */
export const FoldBar = memo(function FoldBar({ rows, members, view, now, critical }: Props) {
  const first = rows[members[0] as number] as SpanRow;
  const { stretches, from, to, totalMs } = useMemo(
    () => sketched(rows, members, view, now()),
    [rows, members, view, now],
  );
  return (
    <>
      {stretches.map(([left, width]) => (
        <div
          key={left}
          className={clsx(css.bar, css[first.status])}
          style={{ "--kind": kindColor(first.kind), left: `${left}%`, width: `${width}%` } as CSSProperties}
        />
      ))}
      {critical && <Critical pairs={critical} view={view} />}
      <FoldLabel row={first} from={from} to={to} totalMs={totalMs} view={view} />
    </>
  );
});

function FoldLabel(props: { row: SpanRow; from: number; to: number; totalMs: number; view: Range }) {
  const place = stretchPlace(props.from, props.to, props.view, saysStatus(props.row));
  return (
    <div className={css.label} style={labelOffset(place)} data-place={place.label}>
      <span title="Total">Σ {duration(props.totalMs)}</span>
      {saysStatus(props.row) && <StatusMark status={props.row.status} label size={13} />}
    </div>
  );
}

/** The stretches that members cover, those that touch put together, in percent of the view. */
function sketched(rows: readonly SpanRow[], members: readonly number[], view: Range, nowMs: number) {
  const stretches: [left: number, width: number][] = [];
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  let totalMs = 0;
  for (const at of members) {
    const row = rows[at] as SpanRow;
    const end = endMs(row, nowMs);
    from = Math.min(from, row.startMs);
    to = Math.max(to, end);
    totalMs += end - row.startMs;
    const place = placeOf(row.startMs, end, view);
    if (!place) continue;
    const last = stretches.at(-1);
    if (last && place.left <= last[0] + last[1] + 100 / CELLS) {
      last[1] = Math.max(last[1], place.left + place.width - last[0]);
    } else {
      stretches.push([place.left, place.width]);
    }
  }
  return { stretches, from, to, totalMs };
}
