import { KINDS, type Kind, type Search } from "@/lib/filter";
import { readRange } from "./time-scale";

export const VIEWS = ["waterfall", "graph", "transcript"] as const;
export type View = (typeof VIEWS)[number];

export interface TraceSearch {
  view?: View | undefined;
  /** The span that is looked at. */
  span?: string | undefined;
  /** Which side of the span: a word of the detail panel, which knows the words. */
  tab?: string | undefined;
  /** The stretch of time that is looked at, in milliseconds after the start: `120-340.5`. */
  zoom?: string | undefined;
  /** What is looked for among the spans. */
  find?: string | undefined;
  /** Kinds that do not show. */
  hide?: Kind[] | undefined;
  /** How many levels are open; without it as many as stay readable. */
  depth?: number | undefined;
  /** Whether runs of equal siblings are one line: `1` or `0`; without it the size of the trace decides. */
  fold?: "0" | "1" | undefined;
  /** `0` leaves out what tells once more of a call that another span counts for. */
  same?: "0" | undefined;
  /** `0` leaves out what is inferred from messages. */
  inferred?: "0" | undefined;
  /** `table` shows the graph as a table. */
  as?: "table" | undefined;
  /** `1` draws the critical path. */
  path?: "1" | undefined;
  /** `1` keeps the newest call of a live run in view. */
  follow?: "1" | undefined;
}

/** What the address of a trace holds. */
export function traceSearch(search: Search): TraceSearch {
  const found: TraceSearch = {};
  const view = VIEWS.find((each) => each === search.view);
  if (view && view !== "waterfall") found.view = view;
  if (typeof search.span === "string" && /^[0-9a-f]{16}$/.test(search.span)) found.span = search.span;
  if (typeof search.tab === "string" && /^[a-z]{1,20}$/.test(search.tab)) found.tab = search.tab;
  if (typeof search.zoom === "string" && readRange(search.zoom)) found.zoom = search.zoom;
  if (typeof search.find === "string" && search.find) found.find = search.find.slice(0, 200);
  const given = new Set([search.hide].flat());
  const hide = KINDS.filter((kind) => given.has(kind));
  if (hide.length) found.hide = hide;
  if (/^[0-9]{1,4}$/.test(String(search.depth))) found.depth = Number(search.depth);
  if (search.fold === "0" || search.fold === "1") found.fold = search.fold;
  if (search.same === "0") found.same = "0";
  if (search.inferred === "0") found.inferred = "0";
  if (search.as === "table") found.as = search.as;
  if (search.path === "1") found.path = "1";
  if (search.follow === "1") found.follow = "1";
  return found;
}
