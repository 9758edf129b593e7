import clsx from "clsx";
import { X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { Call } from "@/lib/calls";
import { duration, plural } from "@/lib/format";
import { visibleLine } from "@/lib/visible";
import { Button } from "@/ui/button";
import { ErrorType } from "@/ui/error-type";
import { InferredMark } from "@/ui/inferred-mark";
import { KindIcon } from "@/ui/kind";
import { StatusMark } from "@/ui/status";
import css from "./call-list.module.css";
import type { AgentGraph, GraphEdge, GraphNode } from "./graph";
import { reveal } from "./scroll";
import { callWords, nodeName } from "./words";

interface Props {
  graph: AgentGraph;
  node: GraphNode;
  /** If set, only the calls of this line are listed. */
  edge: GraphEdge | null;
  selected: Call | null;
  onSelect: (spanId: string) => void;
  /** Lists all calls of the node. */
  onWhole: () => void;
}

const FIRST = 60;

/** The calls behind a box or a line, each with a link to its span. */
export function CallList({ graph, node, edge, selected, onSelect, onWhole }: Props) {
  const calls = (edge ?? node).calls;
  const [most, setMost] = useState(FIRST);
  const panel = useRef<HTMLElement>(null);
  const from = edge && graph.nodes.find((each) => each.id === edge.from);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a selection from elsewhere is brought into view
  useEffect(() => {
    const current = panel.current?.querySelector("[aria-current]");
    if (panel.current && current) reveal(panel.current, current);
  }, [selected]);

  const at = selected ? calls.indexOf(selected) : -1;
  const shown = calls.slice(0, Math.max(most, at + 1));
  return (
    <section ref={panel} className={css.panel} aria-label="Calls">
      <h2 className={css.title}>
        <KindIcon kind={node.kind} />
        <bdi>{from ? `${nodeName(from)} → ${nodeName(node)}` : nodeName(node)}</bdi>
        <span className={css.count}>{callWords({ ...(edge ?? node).figures, calls: calls.length })}</span>
        {edge && (
          <Button look="plain" onClick={onWhole} title="List the calls from everywhere">
            <X size={13} aria-hidden />
            All calls
          </Button>
        )}
      </h2>
      <ul className={css.list}>
        {shown.map((call, index) => (
          <li key={call.row.id}>
            <button
              type="button"
              className={clsx(css.call, call === selected && css.current)}
              aria-current={call === selected || undefined}
              onClick={() => onSelect(call.row.id)}
            >
              <span className={css.number}>{index + 1}</span>
              <StatusMark status={call.row.status} />
              {call.row.inferred && <InferredMark />}
              {node.folded.length > 0 && <bdi className={css.name}>{visibleLine(call.row.tool ?? call.row.name)}</bdi>}
              {call.row.errorType !== null && <ErrorType type={call.row.errorType} className={css.error} />}
              <span className={css.at}>at {duration(call.row.startMs)}</span>
              <span className={css.time}>
                {call.row.status === "running" ? "running" : duration(call.row.durationMs)}
              </span>
            </button>
          </li>
        ))}
        {shown.length < calls.length && (
          <li>
            <Button onClick={() => setMost(most + 200)}>{plural(calls.length - shown.length, "more call")}</Button>
          </li>
        )}
      </ul>
    </section>
  );
}
