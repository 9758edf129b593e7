import { type PointerEvent, type RefObject, useLayoutEffect, useMemo, useState } from "react";
import css from "./axis.module.css";
import { momentAt } from "./minimap";
import { between, type Range, shareOf, type Tick, ticksOf } from "./time-scale";
import type { Zoom } from "./use-zoom";

/** How much of an axis the shortest of labels takes, a letter of one and the space around it. */
const LEAST_PX = 28;
const LETTER_PX = 6.5;
const AROUND_PX = 14;

/** As many round moments of a view as stand beside each other on so many pixels. */
export function fittingTicks(view: Range, width: number): Tick[] {
  for (let most = Math.floor(width / LEAST_PX); most > 1; most--) {
    const ticks = ticksOf(view, most);
    const [first, second] = ticks;
    const gap = first && second ? (shareOf(second.ms, view) - shareOf(first.ms, view)) * width : width;
    const widest = Math.max(...ticks.map(({ label }) => label.length * LETTER_PX + AROUND_PX));
    if (widest > gap) continue;
    return lastFits(ticks, view, width, 2 * widest > gap) ? ticks : ticks.slice(0, -1);
  }
  return ticksOf(view, 1);
}

function lastFits(ticks: readonly Tick[], view: Range, width: number, crowded: boolean): boolean {
  const last = ticks.at(-1);
  if (!last) return true;
  if (edgeOf(last.ms, view) === "end") return !crowded;
  return shareOf(last.ms, view) * width + last.label.length * LETTER_PX <= width;
}

/** The ticks that an axis has room for. */
export function useTicks(scroller: RefObject<HTMLElement | null>, view: Range): Tick[] {
  const [width, setWidth] = useState(500);
  useLayoutEffect(() => {
    const axis = scroller.current?.querySelector("[data-axis]");
    if (!axis) return;
    const sizes = new ResizeObserver(() => setWidth(axis.clientWidth));
    sizes.observe(axis);
    return () => sizes.disconnect();
  }, [scroller]);
  return useMemo(() => fittingTicks(view, width), [view, width]);
}

/** The time axis above the bars. Drag over a range to zoom in. */
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
      title="Drag to zoom in"
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
