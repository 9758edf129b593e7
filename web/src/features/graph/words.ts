import type { CallFigures, GraphEdge, GraphNode } from "@/lib/agent-graph";
import { compact, dollars, duration, plural } from "@/lib/format";
import { visibleLine } from "@/lib/visible";

/** What a node is called, as shown. */
export function nodeName(node: GraphNode): string {
  if (node.folded.length) return `${node.folded.length} more ${node.kind === "tool" ? "tools" : "callees"}`;
  return visibleLine(node.name) || "(no name)";
}

/** An edge in words. */
export function edgeLabel(edge: GraphEdge, from: GraphNode, to: GraphNode): string {
  return [`${nodeName(from)} calls ${nodeName(to)}`, ...figureWords(edge.figures)].join(", ");
}

function figureWords(figures: CallFigures): string[] {
  const words = [plural(figures.calls, "call"), duration(figures.ms)];
  if (figures.errors) words.push(`${figures.errors} failed`);
  if (figures.unended) words.push(`${figures.unended} not ended`);
  if (figures.running) words.push(`${figures.running} running`);
  if (figures.costUsd !== null) words.push(dollars(figures.costUsd));
  return words;
}

/** Tokens given and got: `4.9k → 447`. */
export function tokens({ inputTokens, outputTokens }: CallFigures): string {
  return `${compact(inputTokens)} → ${compact(outputTokens)}`;
}
