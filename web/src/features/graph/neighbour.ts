import type { Layout, PlacedNode } from "./graph-layout";

/** The box that an arrow key leads to: right to a callee, left to a caller, up and down within the column. */
export function neighbour({ nodes, edges }: Layout, at: number, key: string): number | null {
  const own = nodes[at];
  if (!own) return null;
  const places = new Map(nodes.map((node, index) => [node.id, index]));
  const nearest = (ids: string[]) => {
    const boxes = ids.flatMap((id) => places.get(id) ?? []).filter((index) => index !== at);
    return boxes.toSorted((a, b) => distance(own, nodes[a]) - distance(own, nodes[b]))[0] ?? null;
  };
  const beside = (step: number) => (nodes[at + step]?.layer === own.layer ? at + step : null);
  switch (key) {
    case "ArrowRight":
      return nearest(edges.filter((edge) => edge.from === own.id).map((edge) => edge.to));
    case "ArrowLeft":
      return nearest(edges.filter((edge) => edge.to === own.id).map((edge) => edge.from));
    case "ArrowUp":
    case "k":
      return beside(-1);
    case "ArrowDown":
    case "j":
      return beside(1);
    default:
      return null;
  }
}

function distance(from: PlacedNode, to: PlacedNode | undefined): number {
  return to ? Math.abs(from.y + from.height / 2 - to.y - to.height / 2) : Number.POSITIVE_INFINITY;
}
