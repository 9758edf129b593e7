/** What is summed up of a run. */
export interface SummedRun {
  trace_id: string;
  session_id: string | null;
  status: string;
  calls: number;
  spans: number;
  errors: number;
  input_tokens: number;
  output_tokens: number;
  cached_tokens: number;
  cost_usd: number | null;
  unpriced_calls: number;
  start_time_unix_nano: string;
}

/** The runs of one session among those that are loaded, and their sums. */
export interface SessionGroup<Run extends SummedRun> {
  /** Null gathers the runs without a session. */
  sessionId: string | null;
  runs: Run[];
  failed: number;
  calls: number;
  spans: number;
  errors: number;
  inputTokens: number;
  outputTokens: number;
  cachedTokens: number;
  /** Null when no run has a known cost. */
  costUsd: number | null;
  /** Calls whose price is not known, which the cost leaves out. */
  unpricedCalls: number;
}

/** Gather runs by session; sessions stand in the order of their first run, runs keep their order. */
export function groupsOf<Run extends SummedRun>(runs: readonly Run[]): SessionGroup<Run>[] {
  const groups = new Map<string | null, SessionGroup<Run>>();
  for (const run of runs) {
    let group = groups.get(run.session_id);
    if (!group) {
      group = {
        sessionId: run.session_id,
        runs: [],
        failed: 0,
        calls: 0,
        spans: 0,
        errors: 0,
        inputTokens: 0,
        outputTokens: 0,
        cachedTokens: 0,
        costUsd: null,
        unpricedCalls: 0,
      };
      groups.set(run.session_id, group);
    }
    group.runs.push(run);
    group.failed += run.status === "error" ? 1 : 0;
    group.calls += run.calls;
    group.spans += run.spans;
    group.errors += run.errors;
    group.inputTokens += run.input_tokens;
    group.outputTokens += run.output_tokens;
    group.cachedTokens += run.cached_tokens;
    group.unpricedCalls += run.unpriced_calls;
    if (run.cost_usd !== null) group.costUsd = (group.costUsd ?? 0) + run.cost_usd;
  }
  return [...groups.values()];
}

/** A row of a list of runs: a run, or the heading of a session above its runs. */
export type RunItem<Run extends SummedRun> =
  | { key: string; run: Run; group: null }
  | { key: string; run: null; group: SessionGroup<Run>; folded: boolean };

/** The rows of a list; with `grouped` the runs stand below their sessions, but not those of a folded one. */
export function itemsOf<Run extends SummedRun>(
  runs: readonly Run[],
  grouped: boolean,
  folded: ReadonlySet<string | null>,
): RunItem<Run>[] {
  const rows = (some: readonly Run[]): RunItem<Run>[] =>
    some.map((run) => ({ key: `run ${run.trace_id}`, run, group: null }));
  if (!grouped) return rows(runs);
  return groupsOf(runs).flatMap((group): RunItem<Run>[] => {
    const closed = folded.has(group.sessionId);
    const key = group.sessionId === null ? "none" : `session ${group.sessionId}`;
    const heading: RunItem<Run> = { key, run: null, group, folded: closed };
    return closed ? [heading] : [heading, ...rows(group.runs)];
  });
}
