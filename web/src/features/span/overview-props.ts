import type { FullSpan } from "@/lib/full-span";
import type { SpanRow } from "@/lib/spans";
import type { Around } from "./related";

/** What the overview of each kind is made from. */
export interface OverviewProps {
  span: FullSpan;
  place: Around;
  rows: readonly SpanRow[];
}
