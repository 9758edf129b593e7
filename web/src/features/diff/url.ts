import type { DiffRun } from "@/api/diff";
import type { Search } from "@/lib/filter";

export interface DiffSearch {
  /** The first run: an id, a part of one, `last` or `last~1`; by default the previous run of the program. */
  a?: string | undefined;
  /** The run to compare it with. */
  b?: string | undefined;
  /** The index of the selected call; by default the cause. */
  at?: number | undefined;
  /** `1` shows equal calls too, instead of counting them. */
  all?: "1" | undefined;
}

const NAMED = /^[A-Za-z0-9_~-]{1,64}$/;

/** The search parameters of a comparison's URL. */
export function diffSearch(search: Search): DiffSearch {
  const found: DiffSearch = {};
  if (typeof search.a === "string" && NAMED.test(search.a)) found.a = search.a;
  if (typeof search.b === "string" && NAMED.test(search.b)) found.b = search.b;
  if (/^[0-9]{1,6}$/.test(String(search.at))) found.at = Number(search.at);
  if (search.all === "1") found.all = "1";
  return found;
}

/** What names a run in a shared URL: tomorrow it must be the same run, which `last` or a part of an id may not be. */
export function lastingName(name: string | undefined, run: DiffRun): string {
  return name !== undefined && (name === run.run_id || name === run.trace_id) ? name : run.label;
}
