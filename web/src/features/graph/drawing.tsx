import clsx from "clsx";
import { type KeyboardEvent, type PointerEvent, useEffect, useMemo, useRef } from "react";
import { useListKeys } from "@/ui/use-list-keys";
import { Beyond } from "./beyond";
import css from "./drawing.module.css";
import type { AgentGraph, GraphEdge, GraphNode } from "./graph";
import type { Layout, PlacedEdge } from "./graph-layout";
import { GraphBox, Marks } from "./graph-node";
import { type LabelledEdge, rem } from "./measures";
import { neighbour } from "./neighbour";
import { centre } from "./scroll";
import type { Zoom } from "./use-zoom";
import { edgeLabel, nodeName } from "./words";

interface Props {
  graph: AgentGraph;
  layout: Layout;
  lines: readonly LabelledEdge[];
  /** The duration of the run, for percentages. */
  total: number;
  node: GraphNode | null;
  edge: GraphEdge | null;
  zoom: Zoom;
  onNode: (node: GraphNode) => void;
  onEdge: (edge: GraphEdge) => void;
}

/** The graph as boxes and lines. */
export function Drawing({ graph, layout, lines, total, node, edge, zoom, onNode, onEdge }: Props) {
  const nodes = useMemo(() => new Map(graph.nodes.map((each) => [each.id, each])), [graph]);
  const edges = useMemo(() => new Map(graph.edges.map((each) => [each.id, each])), [graph]);
  const labels = useMemo(() => new Map(lines.map((each) => [each.id, each])), [lines]);
  const pan = usePan();
  const frame = useRef<HTMLDivElement | null>(null);
  const setFrame = useRef(zoom.frame);
  useListKeys(frame);

  useEffect(() => {
    const element = frame.current;
    const box = element && firstBox(element);
    if (zoom.ready && element && box) centre(element, box);
  }, [zoom.ready]);

  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "+" || event.key === "=") zoom.by(1.25);
    else if (event.key === "-") zoom.by(0.8);
    else if (event.key === "0") zoom.fit();
    else {
      const next = boxAfter(event);
      if (!next) return;
      next.focus();
    }
    event.preventDefault();
  }

  /** The box that a key leads to: from the drawing itself, the selected one. */
  function boxAfter({ key, target, currentTarget }: KeyboardEvent<HTMLElement>): HTMLElement | null {
    if (target === currentTarget) return MOVES.has(key) ? firstBox(currentTarget) : null;
    const from = target instanceof HTMLElement ? Number(target.dataset.at ?? -1) : -1;
    const next = from < 0 ? null : neighbour(layout, from, key);
    return next === null ? null : currentTarget.querySelector<HTMLElement>(`[data-at="${next}"]`);
  }

  const { width, height } = layout;
  return (
    <div className={css.around}>
      <Beyond {...{ graph, frame, layout }} scale={zoom.scale} />
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls of a form */}
      <div
        ref={(element) => {
          frame.current = element;
          setFrame.current(element);
        }}
        role="group"
        aria-label="Drawing of the agent graph"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by keyboard
        tabIndex={0}
        className={css.frame}
        onKeyDown={onKeyDown}
        {...pan}
      >
        <div className={css.sheet} style={{ width: rem(width * zoom.scale), height: rem(height * zoom.scale) }}>
          <div
            className={css.scaled}
            style={{ width: rem(width), height: rem(height), transform: `scale(${zoom.scale})` }}
          >
            <svg
              className={css.lines}
              viewBox={`0 0 ${width} ${height}`}
              style={{ width: rem(width), height: rem(height) }}
              aria-hidden
            >
              {layout.edges.map((line) => {
                const each = edges.get(line.id);
                return (
                  each && (
                    <Line key={line.id} line={line} edge={each} node={node} chosen={each === edge} total={total} />
                  )
                );
              })}
            </svg>
            {layout.nodes.map((place, at) => {
              const each = nodes.get(place.id);
              return (
                each && (
                  <GraphBox
                    key={place.id}
                    node={each}
                    place={place}
                    at={at}
                    share={each.figures.ms / total}
                    current={each === node}
                    onChoose={onNode}
                  />
                )
              );
            })}
            {layout.edges.map(({ id, label }) => {
              const each = edges.get(id);
              const line = labels.get(id);
              const from = each && nodes.get(each.from);
              const to = each && nodes.get(each.to);
              if (!each || !line?.text || !from || !to) return null;
              if (line.onDemand && from !== node && to !== node) return null;
              return (
                <button
                  key={id}
                  type="button"
                  className={clsx(css.label, each === edge && css.chosenLabel)}
                  style={{ left: rem(label.x), top: rem(label.y) }}
                  title={edgeLabel(each, from, to)}
                  aria-current={each === edge || undefined}
                  onClick={() => onEdge(each)}
                >
                  <span className="visually-hidden">{`${nodeName(from)} calls ${nodeName(to)} `}</span>
                  {line.text}
                  <Marks figures={each.figures} size={11} />
                </button>
              );
            })}
          </div>
        </div>
      </div>
    </div>
  );
}

/** The keys that lead into the drawing. */
const MOVES = new Set(["ArrowDown", "ArrowUp", "j", "k"]);

/** The box of the selected node, or else the first one. */
function firstBox(frame: HTMLElement): HTMLElement | null {
  return frame.querySelector<HTMLElement>("[aria-current][data-at]") ?? frame.querySelector('[data-at="0"]');
}

interface LineProps {
  line: PlacedEdge;
  edge: GraphEdge;
  node: GraphNode | null;
  chosen: boolean;
  total: number;
}

function Line({ line: { path, tip, heading }, edge, node, chosen, total }: LineProps) {
  const touches = node !== null && (edge.from === node.id || edge.to === node.id);
  const width = 1.25 + 6 * Math.sqrt(Math.min(1, edge.figures.ms / total));
  const half = 3.5 + width / 2;
  const back = heading === "right" ? -1.6 * half : 1.6 * half;
  const head = heading === "down" ? `l${-half} ${-1.6 * half} h${2 * half}` : `l${back} ${-half} v${2 * half}`;
  return (
    <g
      className={clsx(css.line, edge.figures.errors > 0 && css.failing, touches && css.touching, chosen && css.chosen)}
    >
      <path d={path} strokeWidth={width} className={clsx(edge.figures.running > 0 && css.running)} />
      <path d={`M${tip.x} ${tip.y} ${head} z`} className={css.tip} />
    </g>
  );
}

/** Drag the background to move the drawing. */
function usePan() {
  const grip = useRef<{ x: number; y: number } | null>(null);
  return {
    onPointerDown(event: PointerEvent<HTMLElement>) {
      if (event.button !== 0 || event.pointerType !== "mouse") return;
      if (event.target instanceof Element && event.target.closest("button")) return;
      grip.current = { x: event.clientX, y: event.clientY };
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove(event: PointerEvent<HTMLElement>) {
      if (!grip.current) return;
      event.currentTarget.scrollBy(grip.current.x - event.clientX, grip.current.y - event.clientY);
      grip.current = { x: event.clientX, y: event.clientY };
    },
    onPointerUp() {
      grip.current = null;
    },
    onPointerCancel() {
      grip.current = null;
    },
  };
}
