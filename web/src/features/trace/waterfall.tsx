// biome-ignore-all lint/a11y/useSemanticElements: a table cannot be a virtual list
// biome-ignore-all lint/a11y/useFocusableInteractive: the tree has the focus and names its active row
import clsx from "clsx";
import {
  type MouseEvent,
  type PointerEvent,
  type Ref,
  type RefObject,
  useEffect,
  useEffectEvent,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from "react";
import { previewsOf } from "@/api/queries";
import { type LoadPreviews, type Previewed, usePreviews } from "@/api/use-previews";
import { duplicatesOf } from "@/lib/duplicates";
import type { SpanRow } from "@/lib/spans";
import type { Tree } from "@/lib/tree";
import { Splitter } from "@/ui/splitter";
import { useListKeys } from "@/ui/use-list-keys";
import { useStoredNumber } from "@/ui/use-stored-number";
import { Axis, AxisLines, useTicks } from "./axis";
import type { CriticalPath } from "./critical-path";
import { Levels } from "./levels";
import { Minimap, momentAt } from "./minimap";
import { sourcesOf } from "./preview";
import type { Clock } from "./use-clock";
import { cursorLine, useCursor } from "./use-cursor";
import type { Outline } from "./use-outline";
import { useScroll } from "./use-scroll";
import type { Selection } from "./use-selection";
import { useWindow } from "./use-window";
import type { Zoom } from "./use-zoom";
import css from "./waterfall.module.css";
import { WaterfallLines } from "./waterfall-lines";

/** In root ems, as in the style sheet. */
const LINE_REM = 1.75;
const HEAD_REM = 1.625;
/** The width that the names leave to bars and durations on a narrow page. */
const TRACK_REM = 10;

/** How far the pointer moves in a click that is no drag. */
const STILL_PX = 8;

/** The line that was pressed. */
interface Press {
  id: string;
  fold: string | null;
  /** Whether it opens or closes the line. */
  toggles: boolean;
}

/** The default width of the names, in pixels: a wide page has room for more of the input. */
function usualName(): number {
  return Math.min(560, Math.max(340, Math.round(window.innerWidth * 0.27)));
}

interface Props {
  /** The run that they belong to. */
  runId: string | null;
  rows: readonly SpanRow[];
  tree: Tree;
  outline: Outline;
  selection: Selection;
  clock: Clock;
  zoom: Zoom;
  matches: ReadonlySet<number>;
  /** The critical path, where it is drawn. */
  path: CriticalPath | null;
  /** Whether the newest call is kept in view. */
  follow: boolean;
  onLeave: () => void;
  levels: number;
  onDepth: (depth: number) => void;
  onEnter: () => void;
  ref?: Ref<{ focus: () => void }>;
}

/** Tree and waterfall in one: what called what, and when. */
export function Waterfall(props: Props) {
  const { rows, tree, outline, selection, clock, zoom } = props;
  const { lines } = outline;
  const scroller = useRef<HTMLDivElement>(null);
  const [nameWidth, setNameWidth] = useStoredNumber("inspector.trace.name", usualName());
  const [rem] = useState(() => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16);
  const hasFigures = useMemo(() => rows.some(hasFigure), [rows]);
  const lineHeight = LINE_REM * rem;
  const page = () => Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / lineHeight) - 2);
  const cursor = useCursor({ rows, outline, selection, page, onEnter: props.onEnter });
  const seen = useWindow(scroller, lineHeight, lines.row.length);
  const cursorRow = lines.row[cursor.at];
  const cursorKey = cursorRow === undefined ? null : `${rows[cursorRow]?.id} ${lines.fold[cursor.at]}`;
  useScroll({
    scroller,
    rows,
    outline,
    lineHeight,
    headHeight: HEAD_REM * rem,
    cursor: cursor.at,
    cursorKey,
    running: clock.running,
    follow: props.follow && clock.running,
    onLeave: props.onLeave,
  });
  useWheelZoom(scroller, zoom);
  useListKeys(scroller);
  useImperativeHandle(props.ref, () => ({ focus: () => scroller.current?.focus() }), []);
  const inSight = useMemo(() => {
    const found: Previewed[] = [];
    const see = ({ id, inferred, status }: SpanRow) =>
      inferred || found.push({ key: id, running: status === "running" });
    for (let line = seen.first; line < seen.last; line++) {
      const row = rows[lines.row[line] as number];
      if (!row || (lines.fold[line] ?? -1) >= 0) continue;
      see(row);
      for (const id of sourcesOf(row)) {
        const source = rows[tree.places.get(id) ?? -1];
        if (source) see(source);
      }
    }
    return found;
  }, [rows, tree, lines, seen.first, seen.last]);
  const pressed = useRef<(Press & { x: number; y: number }) | null>(null);
  const previews = usePreviews(
    inSight,
    useMemo(() => loadOf(props.runId), [props.runId]),
  );
  const ticks = useTicks(scroller, zoom.view);
  const duplicates = duplicatesOf(rows);

  function lineAt(target: EventTarget): Press | null {
    const element = target as HTMLElement;
    const line = Number(element.closest<HTMLElement>("[data-line]")?.dataset.line ?? Number.NaN);
    const row = rows[lines.row[line] ?? -1];
    if (!row) return null;
    const fold = lines.folds[lines.fold[line] as number]?.id ?? null;
    return { id: row.id, fold, toggles: fold !== null || element.closest("[data-toggle]") !== null };
  }

  function onPointerDown({ target, clientX, clientY }: PointerEvent) {
    const found = lineAt(target);
    pressed.current = found && { ...found, x: clientX, y: clientY };
  }

  function onClick({ target, clientX, clientY }: MouseEvent) {
    const press = pressed.current;
    pressed.current = null;
    // What is under the pointer now may have come since then.
    const isStill = press && Math.hypot(clientX - press.x, clientY - press.y) < STILL_PX;
    const found = isStill ? press : lineAt(target);
    if (!found) return;
    const line = cursorLine(outline, found.id, found.fold);
    const open = lines.open[line];
    if (found.toggles && open !== undefined) cursor.toggle(line, !open);
    else cursor.go(line, false);
  }

  return (
    <div className={css.waterfall}>
      <Minimap rows={rows} order={outline.tree.order} now={clock.now} zoom={zoom} />
      <div
        className={clsx(css.frame, !hasFigures && css.bare)}
        style={
          {
            "--name": `min(${nameWidth}px, max(45cqi, 100cqi - ${TRACK_REM}rem), 70cqi)`,
            "--rows": lines.row.length,
          } as React.CSSProperties
        }
      >
        <div
          ref={scroller}
          role="treegrid"
          aria-label="Spans"
          aria-rowcount={lines.row.length + 1}
          aria-activedescendant={cursor.at >= seen.first && cursor.at < seen.last ? `line-${cursor.at}` : undefined}
          tabIndex={0}
          className={css.grid}
          onKeyDown={cursor.onKeyDown}
          onPointerDown={onPointerDown}
          onClick={onClick}
        >
          <div role="row" className={css.head} aria-rowindex={1}>
            <div role="columnheader" className={css.headName}>
              Span
              <Levels depth={outline.depth} levels={props.levels} onDepth={props.onDepth} />
            </div>
            <div role="columnheader" className={css.headFigure}>
              Tokens
            </div>
            <div role="columnheader" className={clsx(css.headFigure, css.headCost)}>
              Cost
            </div>
            <div role="columnheader" aria-label="Time" className={css.headTime}>
              <Axis zoom={zoom} ticks={ticks} />
            </div>
          </div>
          <div role="rowgroup" className={css.body} style={{ height: lines.row.length * lineHeight }}>
            <AxisLines view={zoom.view} ticks={ticks} />
            <WaterfallLines
              {...{ rows, tree, outline, duplicates, seen, lineHeight, previews }}
              path={props.path}
              selected={selection.id}
              cursor={cursor.at}
              matches={props.matches}
              view={zoom.view}
              now={clock.now}
            />
          </div>
        </div>
        <Splitter
          label="Width of the names"
          value={nameWidth}
          min={160}
          max={900}
          onChange={setNameWidth}
          className={css.nameEdge}
        />
      </div>
    </div>
  );
}

/** Whether the columns of tokens and cost have anything for a span. */
function hasFigure({ inputTokens, outputTokens, costUsd }: SpanRow): boolean {
  return inputTokens !== null || outputTokens !== null || costUsd !== null;
}

/** Ctrl and the wheel zoom around the pointer, Shift and the wheel or a sideways one move along. */
function useWheelZoom(scroller: RefObject<HTMLElement | null>, zoom: Zoom): void {
  const onWheel = useEffectEvent((event: WheelEvent) => {
    const axis = scroller.current?.querySelector("[data-axis]");
    if (!axis) return;
    const { view, whole } = zoom;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      const around = momentAt({ clientX: event.clientX, currentTarget: axis }, view);
      zoom.scale(1.0015 ** Math.max(-300, Math.min(300, event.deltaY)), around);
    } else if (zoom.zoomed && (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))) {
      event.preventDefault();
      const pixels = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
      const by = (pixels / axis.clientWidth) * (view.to - view.from);
      const length = view.to - view.from;
      const from = Math.min(whole.to - length, Math.max(whole.from, view.from + by));
      zoom.show({ from, to: from + length });
    }
  });
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const listener = (event: WheelEvent) => onWheel(event);
    // React's own listeners are passive: they could not keep the page from zooming.
    element.addEventListener("wheel", listener, { passive: false });
    return () => element.removeEventListener("wheel", listener);
  }, [scroller]);
}

function loadOf(runId: string | null): LoadPreviews | null {
  if (runId === null) return null;
  return async (ids, signal) => {
    const items = await previewsOf(runId, ids, signal);
    return new Map(items.map((item) => [item.span_id, item]));
  };
}
