import { KINDS, type Kind, type Search } from "@/lib/filter";
import { readRange } from "./time-scale";

export const VIEWS = ["waterfall", "graph", "transcript"] as const;
export type View = (typeof VIEWS)[number];

export interface TraceSearch {
  view?: View | undefined;
  /** The selected span. */
  span?: string | undefined;
  /** The tab of the detail panel. */
  tab?: string | undefined;
  /** The visible time range, in milliseconds after the start: `120-340.5`. */
  zoom?: string | undefined;
  /** The searched text. */
  find?: string | undefined;
  /** Hidden kinds. */
  hide?: Kind[] | undefined;
  /** How many levels are open; by default as many as stay readable. */
  depth?: number | undefined;
  /** Whether equal siblings are folded: `1` or `0`; by default in large traces. */
  fold?: "0" | "1" | undefined;
  /** `0` hides duplicates. */
  same?: "0" | undefined;
  /** `0` hides inferred calls. */
  inferred?: "0" | undefined;
  /** `table` shows the graph as a table. */
  as?: "table" | undefined;
  /** `1` draws the critical path. */
  path?: "1" | undefined;
  /** `1` keeps the newest call of a live run in view. */
  follow?: "1" | undefined;
}

/** The search parameters of a trace's address. */
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
