import { type PointerEvent, type RefObject, useLayoutEffect, useMemo, useState } from "react";
import { between, type Range, shareOf, type Tick, ticksOf } from "@/lib/time-scale";
import css from "./axis.module.css";
import { momentAt } from "./minimap";
import type { Zoom } from "./use-zoom";

/** Labels closer than this run into each other. */
const TICK_PIXELS = 84;

/** The ticks that an axis has room for. */
export function useTicks(scroller: RefObject<HTMLElement | null>, view: Range): Tick[] {
  const [most, setMost] = useState(6);
  useLayoutEffect(() => {
    const axis = scroller.current?.querySelector("[data-axis]");
    if (!axis) return;
    const sizes = new ResizeObserver(() => setMost(Math.max(1, Math.floor(axis.clientWidth / TICK_PIXELS))));
    sizes.observe(axis);
    return () => sizes.disconnect();
  }, [scroller]);
  return useMemo(() => ticksOf(view, most), [view, most]);
}

/** The time above the bars. Dragging over a stretch of it looks closer. */
export function Axis({ zoom, ticks }: { zoom: Zoom; ticks: readonly Tick[] }) {
  const { view } = zoom;
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);

  function onPointerDown(event: PointerEvent<HTMLElement>) {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const ms = momentAt(event, view);
    setDrag({ from: ms, to: ms });
  }

  function onPointerMove(event: PointerEvent<HTMLElement>) {
    if (drag) setDrag({ ...drag, to: momentAt(event, view) });
  }

  function onPointerUp() {
    const isDrag = drag && Math.abs(drag.to - drag.from) > (view.to - view.from) / 100;
    if (isDrag) zoom.show(between(drag.from, drag.to, zoom.whole));
    setDrag(null);
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys for it work on the whole page
    <div
      className={css.axis}
      data-axis
      title="Drag to look closer"
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onLostPointerCapture={() => setDrag(null)}
      onDoubleClick={zoom.reset}
    >
      {ticks.map((tick) => (
        <span key={tick.ms} className={css.tick} data-edge={edgeOf(tick.ms, view)} style={leftOf(tick.ms, view)}>
          {tick.label}
        </span>
      ))}
      {drag && <Chosen from={Math.min(drag.from, drag.to)} to={Math.max(drag.from, drag.to)} view={view} />}
    </div>
  );
}

/** The lines of the axis behind the bars. */
export function AxisLines({ view, ticks }: { view: Range; ticks: readonly Tick[] }) {
  return (
    <div className={css.lines} aria-hidden>
      {ticks.map((tick) => (
        <div key={tick.ms} className={css.rule} style={leftOf(tick.ms, view)} />
      ))}
    </div>
  );
}

function Chosen({ from, to, view }: Range & { view: Range }) {
  const width = (shareOf(to, view) - shareOf(from, view)) * 100;
  return <div className={css.chosen} style={{ ...leftOf(from, view), width: `${width}%` }} />;
}

function leftOf(ms: number, view: Range) {
  return { left: `${shareOf(ms, view) * 100}%` };
}

/** A label at an end of the axis stands inside it. */
function edgeOf(ms: number, view: Range): string | undefined {
  const share = shareOf(ms, view);
  return share > 0.91 ? "end" : undefined;
}
