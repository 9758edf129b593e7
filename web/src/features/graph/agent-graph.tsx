import { useCallback, useMemo, useState } from "react";
import type { Trace } from "@/api/client";
import { callSteps } from "@/lib/calls";
import { count } from "@/lib/format";
import type { SpanRow } from "@/lib/spans";
import { Button } from "@/ui/button";
import { Empty, Skeleton } from "@/ui/notice";
import { useInSlices } from "@/ui/use-in-slices";
import { useSettled } from "@/ui/use-settled";
import css from "./agent-graph.module.css";
import { CallList } from "./call-list";
import { Drawing } from "./drawing";
import { FiguresTable } from "./figures-table";
import { firstToShow, foldedGraph, type GraphEdge, type GraphNode, graphSteps, isWorthDrawing } from "./graph";
import { layoutOf } from "./graph-layout";
import { boxOf, linesOf } from "./measures";
import { useZoom } from "./use-zoom";

interface Props {
  rows: readonly SpanRow[];
  trace: Trace | null;
  selected: string | null;
  onSelect: (spanId: string) => void;
  /** Whether it is shown as a table. */
  asTable: boolean;
  onAsTable: (asTable: boolean) => void;
}

function* steps(rows: readonly SpanRow[]) {
  const calls = yield* callSteps(rows);
  return { calls, whole: yield* graphSteps(calls) };
}

/** A graph with more boxes is shown as a table. */
const MOST_DRAWN = 600;
const NO_LAYOUT = layoutOf([], []);

/** Who called whom in a run: agents, models and tools, with totals of their calls. */
export function AgentGraph({ rows, trace, selected, onSelect, asTable, onAsTable }: Props) {
  const settled = useSettled(rows);
  const { calls, whole } = useInSlices(settled, settled.length, steps);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [edgeId, setEdgeId] = useState<string | null>(null);

  const call = selected === null ? null : (calls.of.get(selected) ?? null);
  const shown = call ? (whole.nodeOf.get(call) ?? null) : null;
  const graph = useMemo(() => foldedGraph(whole, opened, shown), [whole, opened, shown]);
  const lines = useMemo(() => linesOf(graph.edges), [graph]);
  const isTooLarge = graph.nodes.length > MOST_DRAWN;
  const layout = useMemo(
    () => (isTooLarge ? NO_LAYOUT : layoutOf(graph.nodes.map(boxOf), lines)),
    [graph, lines, isTooLarge],
  );
  const zoom = useZoom(layout);
  const node = call ? (graph.nodeOf.get(call) ?? null) : null;
  const edge = graph.edges.find((each) => each.id === edgeId && call && each.calls.includes(call)) ?? null;

  const chooseNode = useCallback(
    (each: GraphNode) => {
      setEdgeId(null);
      if (each.folded.length) setOpened((before) => new Set([...before, each.id]));
      else onSelect(firstToShow(each.calls)?.row.id ?? "");
    },
    [onSelect],
  );
  const chooseEdge = useCallback(
    (each: GraphEdge) => {
      setEdgeId(each.id);
      onSelect(firstToShow(each.calls)?.row.id ?? "");
    },
    [onSelect],
  );

  if (!isWorthDrawing(whole)) {
    if (rows.length === 0) return <Skeleton />;
    return <Empty title="This run has no agents, models or tools">The waterfall shows all of it.</Empty>;
  }

  const isTable = asTable || isTooLarge;
  const total = trace?.duration_ms ?? Math.max(1, ...graph.nodes.map((each) => each.figures.ms));
  return (
    <section className={css.page} aria-label="Agent graph">
      <div className={css.bar}>
        <p className={css.hint}>
          {isTooLarge
            ? `Who called whom. ${count(graph.nodes.length)} nodes are too many to draw.`
            : "Who called whom. The wider a line, the longer its calls took together."}
        </p>
        {opened.size > 0 && (
          <Button look="plain" onClick={() => setOpened(new Set())}>
            Fold small tools
          </Button>
        )}
        {!isTable && zoom.controls}
        {!isTooLarge && (
          <Button pressed={asTable} onClick={() => onAsTable(!asTable)}>
            As a table
          </Button>
        )}
      </div>
      {isTable ? (
        <FiguresTable graph={graph} node={node} edge={edge} onNode={chooseNode} onEdge={chooseEdge} />
      ) : (
        <Drawing
          graph={graph}
          layout={layout}
          lines={lines}
          total={total}
          node={node}
          edge={edge}
          zoom={zoom}
          onNode={chooseNode}
          onEdge={chooseEdge}
        />
      )}
      {node && (
        <CallList
          node={node}
          edge={edge}
          graph={graph}
          selected={call}
          onSelect={onSelect}
          onWhole={() => setEdgeId(null)}
        />
      )}
    </section>
  );
}
