import clsx from "clsx";
import { ArrowDown, ArrowLeft, ArrowRight, ArrowUp } from "lucide-react";
import { type RefObject, useEffect, useEffectEvent, useState } from "react";
import { plural } from "@/lib/format";
import css from "./beyond.module.css";
import type { AgentGraph } from "./graph";
import type { Layout } from "./graph-layout";

const SIDES = {
  left: { Icon: ArrowLeft, x: -1, y: 0, where: "on the left" },
  up: { Icon: ArrowUp, x: 0, y: -1, where: "above" },
  down: { Icon: ArrowDown, x: 0, y: 1, where: "below" },
  right: { Icon: ArrowRight, x: 1, y: 0, where: "on the right" },
} as const;

type Side = keyof typeof SIDES;

/** The nodes beyond one side of the frame, and how many of them failed. */
interface Count {
  nodes: number;
  failed: number;
}

/** The part of the frame that a click scrolls by. */
const STEP = 0.8;

interface Props {
  graph: AgentGraph;
  frame: RefObject<HTMLElement | null>;
  layout: Layout;
  scale: number;
}

/** How many nodes are out of view at each side of the frame; a click scrolls to them. */
export function Beyond({ graph, frame, layout, scale }: Props) {
  const [counts, setCounts] = useState<Partial<Record<Side, Count>>>({});
  const look = useEffectEvent(() => frame.current && setCounts(countsOf(frame.current, graph, layout)));
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const listener = () => look();
    element.addEventListener("scroll", listener, { passive: true });
    const observer = new ResizeObserver(listener);
    observer.observe(element);
    return () => {
      element.removeEventListener("scroll", listener);
      observer.disconnect();
    };
  }, [frame]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another drawing has other nodes in view
  useEffect(() => {
    look();
  }, [graph, layout, scale]);

  function scroll({ x, y }: { x: number; y: number }) {
    const { clientWidth = 0, clientHeight = 0 } = frame.current ?? {};
    frame.current?.scrollBy({ left: x * clientWidth * STEP, top: y * clientHeight * STEP });
  }

  return (
    <div className={css.places}>
      {(Object.keys(SIDES) as Side[]).map((side) => {
        const { nodes, failed } = counts[side] ?? NONE;
        if (nodes === 0) return null;
        const { Icon, where, ...step } = SIDES[side];
        const words = `${nodes} more ${where}${failed ? `, ${failed} failed` : ""}`;
        return (
          <button
            key={side}
            type="button"
            className={clsx(css.beyond, css[side], failed > 0 && css.failed)}
            title={`${plural(nodes, "node")} ${where}, out of view`}
            aria-label={words}
            // With the keys, arrows lead from box to box.
            tabIndex={-1}
            onClick={() => scroll(step)}
          >
            <Icon size={13} aria-hidden />
            {nodes} more{failed > 0 && `, ${failed} failed`}
          </button>
        );
      })}
    </div>
  );
}

const NONE: Count = { nodes: 0, failed: 0 };

/** A node out of view is counted at one side: across, before up and down. */
function countsOf(frame: HTMLElement, { nodes }: AgentGraph, layout: Layout): Partial<Record<Side, Count>> {
  const outer = frame.getBoundingClientRect();
  const failing = new Set(nodes.filter(({ figures }) => figures.errors > 0).map(({ id }) => id));
  const counts: Partial<Record<Side, Count>> = {};
  for (const box of frame.querySelectorAll<HTMLElement>("[data-at]")) {
    const side = sideOf(box.getBoundingClientRect(), outer);
    if (side === null) continue;
    const id = layout.nodes[Number(box.dataset.at)]?.id ?? "";
    const { nodes: before, failed } = counts[side] ?? NONE;
    counts[side] = { nodes: before + 1, failed: failed + (failing.has(id) ? 1 : 0) };
  }
  return counts;
}

function sideOf(box: DOMRect, frame: DOMRect): Side | null {
  const x = box.left + box.width / 2;
  const y = box.top + box.height / 2;
  if (x > frame.right) return "right";
  if (x < frame.left) return "left";
  if (y > frame.bottom) return "down";
  if (y < frame.top) return "up";
  return null;
}
