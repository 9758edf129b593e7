import { type HitPlace, hitsFinder } from "@/lib/hits";
import type { Inferred } from "@/lib/inferred";
import { searchedFor } from "./find-words";

type InferredTool = Extract<Inferred, { what: "tool" }>;

/** Where the words of a search are in an inferred tool call, which the server does not know; null if not all are. */
export function inferredPlace(tool: InferredTool, search: string): HitPlace | null {
  const { name, arguments: input, result: output } = tool;
  return hitsFinder(searchedFor(search))({ kind: "tool", name, error: null, input, output })?.[0] ?? null;
}
