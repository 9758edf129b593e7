import { duration } from "@/lib/format";
import type { CallFigures, GraphEdge, GraphNode } from "./graph";
import type { LayoutEdge, LayoutNode } from "./graph-layout";
import { nodeName } from "./words";

/** The sizes of boxes and labels in pixels, at 16 pixels per rem, which the layout needs before anything is drawn. */
const WIDTH = 192;
const LINE = 18;
const PADDING = 24;
const LETTERS_A_LINE = 20;
/** With more lines, only those have labels that add something to the boxes. */
const MOST_LABELS = 40;

/** A length of the layout in rem, so that it grows with the text. */
export function rem(pixels: number): string {
  return `${(pixels / 16).toFixed(3)}rem`;
}

/** The size of a node's box. */
export function boxOf(node: GraphNode): LayoutNode {
  const name = nodeName(node).length > LETTERS_A_LINE ? 2 : 1;
  const lines = name + 1 + (node.figures.inputTokens === null ? 0 : 1) + (node.methods.length ? 1 : 0);
  return { id: node.id, width: WIDTH, height: PADDING + lines * LINE };
}

/** An edge with its label. */
export interface LabelledEdge extends LayoutEdge {
  text: string;
  /** Whether the label shows only while one of its ends is selected. */
  onDemand: boolean;
}

/** The edges with the sizes of their labels, which have only what the boxes lack. */
export function linesOf(edges: readonly GraphEdge[]): LabelledEdge[] {
  const callers = new Map<string, number>();
  for (const { to } of edges) callers.set(to, (callers.get(to) ?? 0) + 1);
  return edges.map(({ id, from, to, figures }) => {
    const text = textOf(figures, (callers.get(to) ?? 0) > 1);
    const onDemand = edges.length > MOST_LABELS && figures.errors === 0;
    const marks = figures.errors || figures.unended || figures.running ? 26 : 0;
    return { id, from, to, text, onDemand, labelWidth: text && !onDemand ? 16 + text.length * 6.2 + marks : 0 };
  });
}

function textOf(figures: CallFigures, isShared: boolean): string {
  if (isShared) return `${figures.calls}× · ${duration(figures.ms)}`;
  return figures.errors || figures.calls > 1 ? `${figures.calls}×` : "";
}
