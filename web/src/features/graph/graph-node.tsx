import clsx from "clsx";
import { CircleAlert, LoaderCircle, Unplug } from "lucide-react";
import { memo } from "react";
import { dollars, duration } from "@/lib/format";
import { visibleLine } from "@/lib/visible";
import { KindIcon, kindColor } from "@/ui/kind";
import type { CallFigures, GraphNode } from "./graph";
import type { PlacedNode } from "./graph-layout";
import css from "./graph-node.module.css";
import { rem } from "./measures";
import { callWords, nodeName, tokens } from "./words";

interface Props {
  node: GraphNode;
  place: PlacedNode;
  /** Its index in reading order. */
  at: number;
  /** The share of the run's time that its calls took. */
  share: number;
  current: boolean;
  onChoose: (node: GraphNode) => void;
}

/** One box of the graph: name, calls, time and failures. */
export const GraphBox = memo(function GraphBox({ node, place, at, share, current, onChoose }: Props) {
  const { figures } = node;
  const name = nodeName(node);
  const isInferred = figures.calls > 0 && figures.inferred === figures.calls;
  return (
    <button
      type="button"
      data-at={at}
      className={clsx(
        css.node,
        current && css.current,
        node.folded.length > 0 && css.folded,
        isInferred && css.inferred,
      )}
      style={{ left: rem(place.x), top: rem(place.y), width: rem(place.width), minHeight: rem(place.height) }}
      aria-current={current || undefined}
      onClick={() => onChoose(node)}
    >
      <span className={css.head}>
        <KindIcon kind={node.kind} />
        <bdi className={css.name} title={name}>
          {name}
        </bdi>
        <Marks figures={figures} />
      </span>
      <span className={css.figures}>
        <span>{callWords(figures, node.methods.length ? "request" : "call")}</span>
        <span className={css.time}>{duration(figures.ms)}</span>
      </span>
      {node.methods.length > 0 && <bdi className={css.methods}>{visibleLine(node.methods.join(", "))}</bdi>}
      {figures.inputTokens !== null && (
        <span className={css.figures}>
          <span title="Tokens in → out">{tokens(figures)}</span>
          <span className={css.time}>{figures.costUsd === null ? "" : dollars(figures.costUsd)}</span>
        </span>
      )}
      <span className={css.share} aria-hidden>
        <span style={{ width: `${Math.min(100, share * 100)}%`, background: kindColor(node.kind) }} />
      </span>
    </button>
  );
});

/** Failures, as marks with numbers. */
export function Marks({ figures, size = 13 }: { figures: CallFigures; size?: number }) {
  return (
    <>
      {figures.errors > 0 && (
        <span className={css.error} title={`${figures.errors} failed`}>
          <CircleAlert size={size} aria-hidden />
          {figures.errors}
          <span className="visually-hidden"> failed</span>
        </span>
      )}
      {figures.unended > 0 && (
        <span className={css.unended} title={`${figures.unended} denied, cancelled, abandoned or lost`}>
          <Unplug size={size} aria-hidden />
          {figures.unended}
          <span className="visually-hidden"> denied, cancelled, abandoned or lost</span>
        </span>
      )}
      {figures.running > 0 && (
        <span className={css.running} title={`${figures.running} running`}>
          <LoaderCircle size={size} aria-hidden />
          <span className="visually-hidden">{figures.running} running</span>
        </span>
      )}
    </>
  );
}
