import type { SpanEvent } from "@/api/client";
import type { More } from "@/ui/virtual-grid";

/** A list of events as far as it is loaded, live or sorted. */
export interface EventList {
  rows: readonly SpanEvent[];
  /** The first page is loading, or the page of another filter. */
  loading: boolean;
  error: Error | null;
  retry: () => void;
  /** The state of the next page. */
  older: More;
  loadOlder: () => void;
  /** The part of the searched text that was not understood. */
  notice: string | undefined;
}
