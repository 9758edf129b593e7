import { useMemo } from "react";
import type { Place } from "@/api/queries";
import type { LiveTrace } from "@/api/use-trace";
import type { InferredTurn } from "@/lib/inferred";
import type { Steps } from "@/lib/steps";
import { unixMs } from "@/lib/time";
import { useInSlices } from "@/ui/use-in-slices";
import { type Picture, pictureSteps } from "./picture";
import type { TraceSearch } from "./url";
import { useConversations, useInferredEvents } from "./use-conversations";

/** A trace or a run, with the picture of its rows: both of the same moment. */
export interface Pictured {
  live: LiveTrace;
  turns: readonly InferredTurn[];
  picture: Picture;
}

interface Input {
  live: LiveTrace;
  turns: readonly InferredTurn[];
  hide: string;
  once: boolean;
  path: boolean;
  nowMs: number;
}

function* steps({ live, path, nowMs, ...asked }: Input): Steps<Pictured> {
  const { rows, base } = live;
  const pathMs = path ? nowMs - unixMs(base) : null;
  return { live, turns: asked.turns, picture: yield* pictureSteps({ rows, base, pathMs, ...asked }) };
}

interface Shown extends Pictured {
  /** Whether its messages, and so its conversations, were not recorded. */
  unknown: boolean;
  /** Whether conversations are still loading. */
  inferring: boolean;
}

/** The picture of a trace while it grows. */
export function usePicture(live: LiveTrace, place: Place, search: TraceSearch): Shown {
  const { turns, unknown, asking } = useConversations(live, place, search.inferred === "0");
  const hide = search.hide?.join() ?? "";
  const once = search.same === "0";
  const path = search.path === "1";
  const input = useMemo(() => ({ live, turns, hide, once, path, nowMs: Date.now() }), [live, turns, hide, once, path]);
  const pictured = useInSlices(input, live.rows.length, steps);
  useInferredEvents(pictured.picture.rows, pictured.live.base);
  return { ...pictured, unknown, inferring: asking || pictured.turns !== turns };
}
