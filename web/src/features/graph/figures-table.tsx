import clsx from "clsx";
import { ArrowDown, ArrowUp } from "lucide-react";
import { useMemo, useState } from "react";
import { count, dollars, duration } from "@/lib/format";
import { KindIcon } from "@/ui/kind";
import css from "./figures-table.module.css";
import type { AgentGraph, GraphEdge, GraphNode } from "./graph";
import { Marks } from "./graph-node";
import { edgeLabel, nodeName } from "./words";

interface Line {
  from: GraphNode | null;
  to: GraphNode;
  edge: GraphEdge | null;
}

interface Column {
  id: string;
  label: string;
  /** The value that the column is sorted by. */
  value: (line: Line) => number | string | null;
}

const figures = ({ edge, to }: Line) => (edge ?? to).figures;

const COLUMNS: readonly Column[] = [
  { id: "caller", label: "Caller", value: ({ from }) => (from ? nodeName(from) : "") },
  { id: "callee", label: "Calls", value: ({ to }) => nodeName(to) },
  { id: "count", label: "Times", value: (line) => figures(line).calls },
  { id: "errors", label: "Failed", value: (line) => figures(line).errors + figures(line).unended },
  { id: "time", label: "Total time", value: (line) => figures(line).ms },
  { id: "mean", label: "Mean", value: (line) => figures(line).ms / Math.max(1, figures(line).calls) },
  { id: "input", label: "Tokens in", value: (line) => figures(line).inputTokens },
  { id: "output", label: "Tokens out", value: (line) => figures(line).outputTokens },
  { id: "cost", label: "Cost", value: (line) => figures(line).costUsd },
];

interface Props {
  graph: AgentGraph;
  node: GraphNode | null;
  edge: GraphEdge | null;
  onNode: (node: GraphNode) => void;
  onEdge: (edge: GraphEdge) => void;
}

/** The graph as a table, with a row per pair of caller and callee. */
export function FiguresTable({ graph, node, edge, onNode, onEdge }: Props) {
  const [sort, setSort] = useState<{ by: string; down: boolean } | null>(null);
  const lines = useMemo(() => sorted(linesOf(graph), sort), [graph, sort]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by keyboard
    <section className={css.frame} aria-label="Agent graph as a table" tabIndex={0}>
      <table className={css.table}>
        <thead>
          <tr>
            {COLUMNS.map(({ id, label }, at) => {
              const own = sort?.by === id ? sort : null;
              const Arrow = own?.down ? ArrowDown : ArrowUp;
              return (
                <th
                  key={id}
                  scope="col"
                  className={clsx(at > 1 && css.number)}
                  aria-sort={own ? (own.down ? "descending" : "ascending") : "none"}
                >
                  <button
                    type="button"
                    className={css.sort}
                    onClick={() => setSort({ by: id, down: own ? !own.down : at > 1 })}
                  >
                    {label}
                    {own && <Arrow size={12} aria-hidden />}
                  </button>
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <tr
              key={line.edge?.id ?? line.to.id}
              className={clsx((line.edge ? line.edge === edge : line.to === node) && css.current)}
            >
              <td>{line.from ? <Name node={line.from} /> : <span className={css.none}>–</span>}</td>
              <td>
                <button
                  type="button"
                  className={css.open}
                  onClick={() => (line.edge ? onEdge(line.edge) : onNode(line.to))}
                  title={line.edge && line.from ? edgeLabel(line.edge, line.from, line.to) : undefined}
                >
                  <Name node={line.to} />
                </button>
              </td>
              <Figures line={line} />
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Figures({ line }: { line: Line }) {
  const own = figures(line);
  return (
    <>
      <td className={css.number}>
        {own.inferred < own.calls && count(own.calls - own.inferred)}
        {own.inferred > 0 && (
          <span className={css.none}>
            {own.inferred < own.calls && " + "}
            {count(own.inferred)} inferred
          </span>
        )}
      </td>
      <td className={css.number}>
        {own.errors + own.unended > 0 ? (
          <span className={css.marks}>
            <Marks figures={{ ...own, running: 0 }} />
          </span>
        ) : (
          <span className={css.none}>–</span>
        )}
      </td>
      <td className={css.number}>{duration(own.ms)}</td>
      <td className={css.number}>{duration(own.ms / Math.max(1, own.calls))}</td>
      <Cell value={own.inputTokens} text={count} />
      <Cell value={own.outputTokens} text={count} />
      <Cell value={own.costUsd} text={dollars} />
    </>
  );
}

function Cell({ value, text }: { value: number | null; text: (value: number | null) => string }) {
  return <td className={clsx(css.number, value === null && css.none)}>{text(value)}</td>;
}

function Name({ node }: { node: GraphNode }) {
  return (
    <span className={css.name}>
      <KindIcon kind={node.kind} />
      <bdi title={nodeName(node)}>{nodeName(node)}</bdi>
    </span>
  );
}

function linesOf({ nodes, edges }: AgentGraph): Line[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const called = new Set(edges.map((edge) => edge.to));
  const first = nodes.filter((node) => !called.has(node.id)).map((to) => ({ from: null, to, edge: null }));
  const rest = edges.flatMap((edge) => {
    const from = byId.get(edge.from);
    const to = byId.get(edge.to);
    return from && to ? [{ from, to, edge }] : [];
  });
  return [...first, ...rest];
}

function sorted(lines: Line[], sort: { by: string; down: boolean } | null): Line[] {
  const column = COLUMNS.find(({ id }) => id === sort?.by);
  if (!sort || !column) return lines;
  const sign = sort.down ? -1 : 1;
  return lines.toSorted((a, b) => {
    const [left, right] = [column.value(a), column.value(b)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    if (typeof left === "string" || typeof right === "string") return sign * String(left).localeCompare(String(right));
    return sign * (left - right);
  });
}
