import type { RunsSearch } from "@/features/runs/url";

let last: RunsSearch = {};

/** Remembers how the list of runs was filtered and sorted. */
export function rememberRuns(search: RunsSearch): void {
  last = search;
}

/** The list of runs as it was last shown. */
export function lastRuns(): RunsSearch {
  return last;
}
