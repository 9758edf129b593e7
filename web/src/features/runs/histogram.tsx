import clsx from "clsx";
import { type KeyboardEvent, type PointerEvent, useRef, useState } from "react";
import { clock, day, plural } from "@/lib/format";
import { type Bin, binAt, heightOf, rangeOf, sumOf } from "./bins";
import css from "./histogram.module.css";

interface Props {
  bins: readonly Bin[];
  /** Show a time range; null shows all runs again. */
  onRange: (range: { since: string; until: string } | null) => void;
}

interface Marked {
  from: number;
  to: number;
}

/** Runs over time as bars, with failures striped; the pointer or the arrow keys select a range. */
export function Histogram({ bins, onRange }: Props) {
  const plot = useRef<HTMLDivElement>(null);
  const [marked, setMarked] = useState<Marked | null>(null);
  const [hovered, setHovered] = useState<number | null>(null);
  const [drags, setDrags] = useState(false);
  const most = bins.reduce((value, bin) => Math.max(value, bin.count), 0);
  const chosen = marked ? sumOf(bins, marked.from, marked.to) : null;
  const pointed = chosen ?? (hovered === null ? null : (bins[hovered] ?? null));

  function at(event: PointerEvent): number {
    const box = plot.current?.getBoundingClientRect();
    return box ? binAt((event.clientX - box.left) / box.width, bins.length) : 0;
  }
  function down(event: PointerEvent) {
    if (event.button !== 0 || bins.length === 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    setDrags(true);
    setMarked({ from: at(event), to: at(event) });
  }
  function move(event: PointerEvent) {
    const bin = at(event);
    if (drags) setMarked((before) => before && { from: before.from, to: bin });
    else setHovered(bin);
  }
  function up() {
    if (!drags) return;
    setDrags(false);
    // A click alone selects nothing: a range needs a drag, or the keys.
    if (chosen && marked && marked.from !== marked.to) onRange(rangeOf(chosen));
    setMarked(null);
  }
  function onKeyDown(event: KeyboardEvent) {
    const next = keyed(event, marked, bins.length);
    if (next === undefined) return;
    event.preventDefault();
    if (next === "apply") {
      if (chosen) onRange(rangeOf(chosen));
      setMarked(null);
    } else if (next === null && marked === null) {
      onRange(null);
    } else {
      setMarked(next);
    }
  }

  const [left, right] = marked ? [Math.min(marked.from, marked.to), Math.max(marked.from, marked.to)] : [0, -1];
  return (
    <div className={css.histogram}>
      <div
        ref={plot}
        role="slider"
        tabIndex={0}
        aria-label="Runs over time. Arrow keys mark a time, with Shift a range; Enter shows it, Escape clears it."
        aria-valuemin={0}
        aria-valuemax={Math.max(0, bins.length - 1)}
        aria-valuenow={marked?.to ?? 0}
        aria-valuetext={chosen ? words(chosen) : "nothing marked"}
        className={css.plot}
        onPointerDown={down}
        onPointerMove={move}
        onPointerUp={up}
        onPointerCancel={() => {
          setDrags(false);
          setMarked(null);
        }}
        onPointerLeave={() => setHovered(null)}
        onDoubleClick={() => onRange(null)}
        onKeyDown={onKeyDown}
        onBlur={() => setMarked(null)}
      >
        {bins.map((bin, index) => (
          <div
            key={bin.fromMs}
            className={clsx(
              css.bin,
              index >= left && index <= right && css.marked,
              index === hovered && !marked && css.hovered,
            )}
          >
            <Bar bin={bin} most={most} />
          </div>
        ))}
      </div>
      <Axis bins={bins} pointed={pointed} />
    </div>
  );
}

function Bar({ bin, most }: { bin: Bin; most: number }) {
  if (bin.count === 0) return null;
  const failed = bin.errors === 0 ? 0 : Math.max(0.12, bin.errors / bin.count);
  return (
    <div className={css.bar} style={{ height: `${heightOf(bin.count, most) * 100}%` }}>
      {failed > 0 && <div className={css.failed} style={{ height: `${failed * 100}%` }} />}
    </div>
  );
}

function Axis({ bins, pointed }: { bins: readonly Bin[]; pointed: Bin | null }) {
  const first = bins[0];
  const last = bins.at(-1);
  if (!first || !last) return <p className={css.axis} />;
  if (pointed) return <p className={clsx(css.axis, css.pointed)}>{words(pointed)}</p>;
  const days = day(first.fromMs) !== day(last.toMs);
  return (
    <p className={css.axis}>
      <span>{point(first.fromMs, days)}</span>
      <span>{point(last.toMs, days)}</span>
    </p>
  );
}

function point(ms: number, withDay: boolean): string {
  return withDay ? `${day(ms)} ${clock(ms)}` : clock(ms);
}

function words(bin: Bin): string {
  const days = day(bin.fromMs) !== day(bin.toMs) || day(bin.fromMs) !== day(Date.now());
  const failed = bin.errors > 0 ? `, ${bin.errors} failed` : "";
  return `${point(bin.fromMs, days)} – ${point(bin.toMs, days)}: ${plural(bin.count, "run")}${failed}`;
}

function keyed(event: KeyboardEvent, marked: Marked | null, count: number): Marked | null | "apply" | undefined {
  if (event.key === "Escape") return null;
  if (event.key === "Enter") return "apply";
  if (count === 0) return undefined;
  const last = count - 1;
  const at = marked?.to;
  const to = {
    ArrowLeft: at === undefined ? last : Math.max(0, at - 1),
    ArrowRight: at === undefined ? 0 : Math.min(last, at + 1),
    Home: 0,
    End: last,
  }[event.key];
  if (to === undefined) return undefined;
  return { from: event.shiftKey && marked ? marked.from : to, to };
}
