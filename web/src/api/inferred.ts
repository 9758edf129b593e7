import type { QueryClient } from "@tanstack/react-query";
import { ApiError, type FullEvent } from "./client";

/** Where what is inferred lies: no server has it. */
const KEY = ["inferred"] as const;

/** What the page that shows has inferred. */
export interface InferredEvents {
  find: (spanId: string) => FullEvent | undefined;
}

/** An inferred span as the API would answer it, had it been recorded. */
export async function inferredEvent(queries: QueryClient, spanId: string): Promise<FullEvent> {
  const event = queries.getQueryData<InferredEvents>(KEY)?.find(spanId);
  if (event) return event;
  throw new ApiError(404, "The messages it was inferred from are no longer available.");
}

/** Let whoever asks for what is inferred find it, until the returned function is called. */
export function provideInferred(queries: QueryClient, events: InferredEvents): () => void {
  // Nobody observes it, and no server has it: it would be forgotten after a while.
  queries.setQueryDefaults(KEY, { gcTime: Number.POSITIVE_INFINITY });
  queries.setQueryData(KEY, events);
  return () => queries.removeQueries({ queryKey: KEY });
}
