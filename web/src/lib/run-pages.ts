/** What of a run decides where it stands in a list, and whether it changed. */
export interface ListedRun {
  run_id: string;
  start_time_unix_nano: string;
  duration_ms: number | null;
  cost_usd: number | null;
  input_tokens: number;
  output_tokens: number;
  /** Grows with every change of its spans. */
  seq: number;
  labels: readonly { label_id: string }[];
}

export interface RunPage<Run extends ListedRun> {
  items: Run[];
  next_cursor: string | null;
  /** What relative times of the filter counted back from: the cursor is only good together with it. */
  nowMs: number;
}

/** Pages as an infinite query keeps them. */
export interface RunPages<Run extends ListedRun> {
  pages: RunPage<Run>[];
  pageParams: unknown[];
}

export type RunOrder = { sort: "time" | "duration" | "tokens" | "cost"; order: "asc" | "desc" };

/**
 * Put a newer first page over a list of pages, without asking for the others again.
 *
 * What the newer page pushed out stays behind it; what no longer belongs above its end goes. Runs that did not change
 * stay the same objects. Where the newer page has no run in common with the list, something is missing in between, and
 * the list begins anew with it.
 */
export function withFirstPage<Run extends ListedRun>(
  known: RunPages<Run> | undefined,
  first: RunPage<Run>,
  by: RunOrder,
): RunPages<Run> {
  const before = new Map<string, Run>();
  for (const page of known?.pages ?? []) for (const run of page.items) before.set(run.run_id, run);
  const items = first.items.map((run) => {
    const old = before.get(run.run_id);
    return old?.seq === run.seq && hasLabelsOf(old, run) ? old : run;
  });
  const page = { ...first, items };
  // Nothing among the rows that were looked at so far: what further pages found still holds.
  if (known && items.length === 0 && first.next_cursor !== null) {
    return { pages: [page, ...known.pages.slice(1)], pageParams: known.pageParams };
  }
  const last = items.at(-1);
  const joins = items.some((run) => before.has(run.run_id));
  if (!known || known.pages.length < 2 || !joins || !last || first.next_cursor === null) {
    return { pages: [page], pageParams: [null] };
  }
  const here = new Set(items.map((run) => run.run_id));
  const stays = (run: Run) => !here.has(run.run_id) && isBehind(run, last, by);
  const [top, second, ...others] = known.pages.map((each) => ({ ...each, items: each.items.filter(stays) }));
  if (!top || !second) return { pages: [page], pageParams: [null] };
  const pushed = { ...second, items: [...top.items, ...second.items] };
  return { pages: [page, pushed, ...others], pageParams: known.pageParams };
}

function hasLabelsOf({ labels }: ListedRun, { labels: others }: ListedRun): boolean {
  return labels.length === others.length && labels.every(({ label_id: id }, at) => id === others[at]?.label_id);
}

/** The list with newer words on one of its runs; what a summary alone does not tell, such as its timeline, stays. */
export function withRun<Run extends ListedRun>(
  known: RunPages<Run> | undefined,
  newer: Run,
): RunPages<Run> | undefined {
  const renewed = (run: Run) => (run.run_id === newer.run_id && newer.seq > run.seq ? { ...run, ...newer } : run);
  return known && { ...known, pages: known.pages.map((page) => ({ ...page, items: page.items.map(renewed) })) };
}

/** The list without one run. */
export function withoutRun<Run extends ListedRun>(
  known: RunPages<Run> | undefined,
  runId: string,
): RunPages<Run> | undefined {
  return (
    known && {
      ...known,
      pages: known.pages.map((page) => ({ ...page, items: page.items.filter((run) => run.run_id !== runId) })),
    }
  );
}

/** Whether pages were asked for when a change was there already, since one of their items tells of it or a later one. */
export function knowsOf(pages: readonly { items: readonly { seq: number }[] }[], change: number): boolean {
  return pages.some((page) => page.items.some((item) => item.seq >= change));
}

/** Runs of all pages in order, each once: a run can move from one page to the next between two questions. */
export function runsOf<Run extends ListedRun>(known: RunPages<Run> | undefined): Run[] {
  const found = new Map<string, Run>();
  for (const page of known?.pages ?? []) {
    for (const run of page.items) if (!found.has(run.run_id)) found.set(run.run_id, run);
  }
  return [...found.values()];
}

function sortedValue(run: ListedRun, sort: Exclude<RunOrder["sort"], "time">): number | null {
  if (sort === "tokens") return run.input_tokens + run.output_tokens;
  return sort === "duration" ? run.duration_ms : run.cost_usd;
}

function isBehind(run: ListedRun, last: ListedRun, { sort, order }: RunOrder): boolean {
  const sign = order === "desc" ? 1 : -1;
  if (sort !== "time") {
    const [a, b] = [sortedValue(run, sort), sortedValue(last, sort)];
    // Runs without the value stand at one end; which one is the server's affair, so they are kept.
    if (a === null || b === null) return true;
    if (a !== b) return (b - a) * sign > 0;
    return true;
  }
  const distance = BigInt(last.start_time_unix_nano) - BigInt(run.start_time_unix_nano);
  return distance === 0n || distance > 0n === sign > 0;
}
