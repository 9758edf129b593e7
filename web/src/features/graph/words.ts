import { compact, count, dollars, duration, plural } from "@/lib/format";
import { visibleLine } from "@/lib/visible";
import type { CallFigures, GraphEdge, GraphNode } from "./graph";

/** The displayed name of a node. */
export function nodeName(node: GraphNode): string {
  if (node.folded.length) return `${node.folded.length} more ${node.kind === "tool" ? "tools" : "callees"}`;
  return visibleLine(node.name) || "(no name)";
}

/** An edge in words. */
export function edgeLabel(edge: GraphEdge, from: GraphNode, to: GraphNode): string {
  return [`${nodeName(from)} calls ${nodeName(to)}`, ...figureWords(edge.figures)].join(", ");
}

/** How many calls were recorded, and how many more are inferred: `3 calls + 2 inferred`. */
export function callWords({ calls, inferred }: CallFigures, noun = "call"): string {
  if (inferred === 0) return plural(calls, noun);
  if (inferred === calls) return plural(inferred, `inferred ${noun}`);
  return `${plural(calls - inferred, noun)} + ${count(inferred)} inferred`;
}

function figureWords(figures: CallFigures): string[] {
  const words = [callWords(figures), duration(figures.ms)];
  if (figures.errors) words.push(`${figures.errors} failed`);
  if (figures.unended) words.push(`${figures.unended} denied, cancelled, abandoned or lost`);
  if (figures.running) words.push(`${figures.running} running`);
  if (figures.costUsd !== null) words.push(dollars(figures.costUsd));
  return words;
}

/** Input and output tokens: `4.9k → 447`. */
export function tokens({ inputTokens, outputTokens }: CallFigures): string {
  return `${compact(inputTokens)} → ${compact(outputTokens)}`;
}
