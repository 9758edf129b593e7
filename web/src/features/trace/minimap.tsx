import { type KeyboardEvent, memo, type PointerEvent, useDeferredValue, useMemo, useState } from "react";
import { KINDS } from "@/lib/filter";
import { duration } from "@/lib/format";
import type { SpanRow } from "@/lib/spans";
import { kindColor } from "@/ui/kind";
import css from "./minimap.module.css";
import { FAILED, LOST, pathOf, type Sketch, sketchOf } from "./minimap-sketch";
import { between, type Range, shareOf, shifted } from "./time-scale";
import type { Zoom } from "./use-zoom";

const SIZE = { columns: 600, lanes: 28 };

interface Props {
  rows: readonly SpanRow[];
  order: Int32Array;
  now: () => number;
  zoom: Zoom;
}

/** A small picture of the whole trace, with a window over the visible part. */
export function Minimap({ rows, order, now, zoom }: Props) {
  const { whole } = zoom;
  const input = useDeferredValue(useMemo(() => ({ rows, order, whole, now }), [rows, order, whole, now]));
  const sketch = useMemo(() => sketchOf(input.rows, input.order, input.whole, SIZE, input.now()), [input]);
  return (
    <div className={css.minimap}>
      <Drawing sketch={sketch} />
      <WindowHandle zoom={zoom} />
    </div>
  );
}

const Drawing = memo(function Drawing({ sketch }: { sketch: Sketch }) {
  return (
    <>
      <svg
        className={css.drawing}
        viewBox={`0 0 ${sketch.columns} ${Math.max(sketch.lanes, 8)}`}
        preserveAspectRatio="none"
        shapeRendering="crispEdges"
        aria-hidden
      >
        {KINDS.map((kind, at) => (
          <path key={kind} d={pathOf(sketch, at + 1)} fill={kindColor(kind)} />
        ))}
      </svg>
      {/* A lane of its own: where something failed shows without its colour. */}
      <svg
        className={css.failures}
        viewBox={`0 0 ${sketch.columns} 1`}
        preserveAspectRatio="none"
        shapeRendering="crispEdges"
        aria-hidden
      >
        <path d={failurePath(sketch, LOST)} fill="var(--warn)" />
        <path d={failurePath(sketch, FAILED)} fill="var(--error)" />
      </svg>
    </>
  );
});

function failurePath({ failures, columns }: Sketch, code: number): string {
  let path = "";
  // Wider than a cell, so that a single one is seen.
  for (let at = 0; at < columns; at++) if (failures[at] === code) path += `M${Math.max(0, at - 1)} 0h3v1h-3z`;
  return path;
}

type Grip = "from" | "to" | "window" | "new";

/** Drag inside to move the window, its edges to resize it, elsewhere to begin another one. */
function WindowHandle({ zoom }: { zoom: Zoom }) {
  const { view, whole } = zoom;
  const [drag, setDrag] = useState<{ grip: Grip; startMs: number; view: Range } | null>(null);

  function onPointerDown(event: PointerEvent<HTMLElement>) {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const grip = (event.target as HTMLElement).dataset.grip as Grip | undefined;
    setDrag({ grip: grip ?? "new", startMs: momentAt(event, whole), view });
  }

  function onPointerMove(event: PointerEvent<HTMLElement>) {
    if (!drag) return;
    const ms = momentAt(event, whole);
    // A shaky click is not a drag.
    if (drag.grip === "new" && Math.abs(shareOf(ms, whole) - shareOf(drag.startMs, whole)) < 0.004) return;
    zoom.show(dragged(drag, ms, whole));
  }

  function onKeyDown(event: KeyboardEvent) {
    const share = { ArrowLeft: -0.2, ArrowRight: 0.2 }[event.key];
    if (share === undefined) return;
    event.preventDefault();
    zoom.show(shifted(view, share, whole));
  }

  const left = shareOf(view.from, whole) * 100;
  const right = 100 - shareOf(view.to, whole) * 100;
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label="Visible part of the trace"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round((left + 100 - right) / 2)}
      aria-valuetext={`${duration(view.from)} to ${duration(view.to)} of ${duration(whole.to)}`}
      className={css.slider}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={() => setDrag(null)}
      onLostPointerCapture={() => setDrag(null)}
      onDoubleClick={zoom.reset}
      onKeyDown={onKeyDown}
    >
      {zoom.zoomed && (
        <>
          <div className={css.shade} style={{ left: 0, width: `${left}%` }} />
          <div className={css.shade} style={{ right: 0, width: `${right}%` }} />
          <div className={css.window} data-grip="window" style={{ left: `${left}%`, right: `${right}%` }}>
            <div className={css.grip} data-grip="from" />
            <div className={css.grip} data-grip="to" />
          </div>
        </>
      )}
    </div>
  );
}

function dragged(drag: { grip: Grip; startMs: number; view: Range }, ms: number, whole: Range): Range {
  const { view } = drag;
  switch (drag.grip) {
    case "from":
      return between(ms, view.to, whole);
    case "to":
      return between(view.from, ms, whole);
    case "window":
      return shifted(view, (ms - drag.startMs) / (view.to - view.from), whole);
    case "new":
      return between(drag.startMs, ms, whole);
  }
}

/** The moment of a range that is under the pointer. */
export function momentAt(event: { clientX: number; currentTarget: Element }, range: Range): number {
  const box = event.currentTarget.getBoundingClientRect();
  const share = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
  return range.from + share * (range.to - range.from);
}
