import type { SpanEvent } from "@/api/client";

/** A list of events as far as it is loaded, however it came here. */
export interface EventList {
  rows: readonly SpanEvent[];
  /** The first page is under way, or the page of another filter. */
  loading: boolean;
  error: Error | null;
  retry: () => void;
  hasOlder: boolean;
  /** How the next page stands. */
  older: "idle" | "loading" | Error;
  loadOlder: () => void;
  /** What of the searched text was not understood. */
  notice: string | undefined;
}
