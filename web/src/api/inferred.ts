import type { QueryClient } from "@tanstack/react-query";
import { ApiError, type FullEvent } from "./client";

/** The key of inferred spans, which no server has. */
const KEY = ["inferred"] as const;

/** What the current page has inferred. */
export interface InferredEvents {
  find: (spanId: string) => FullEvent | undefined;
}

/** An inferred span as the API would return it if it had been recorded. */
export async function inferredEvent(queries: QueryClient, spanId: string): Promise<FullEvent> {
  const event = queries.getQueryData<InferredEvents>(KEY)?.find(spanId);
  if (event) return event;
  throw new ApiError(404, "The messages it was inferred from are no longer available.");
}

/** Make inferred spans available to queries, until the returned function is called. */
export function provideInferred(queries: QueryClient, events: InferredEvents): () => void {
  // Nobody observes it, and no server has it: it would be forgotten after a while.
  queries.setQueryDefaults(KEY, { gcTime: Number.POSITIVE_INFINITY });
  queries.setQueryData(KEY, events);
  return () => queries.removeQueries({ queryKey: KEY });
}
