import type { FullSpan } from "@/lib/full-span";
import type { SpanRow } from "@/lib/spans";
import type { Around } from "./related";

/** The props of the overview of each kind. */
export interface OverviewProps {
  span: FullSpan;
  place: Around;
  rows: readonly SpanRow[];
}
