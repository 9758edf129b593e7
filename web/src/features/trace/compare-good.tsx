import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { GitCompareArrows } from "lucide-react";
import { useMemo } from "react";
import type { Run } from "@/api/client";
import { topRunsQuery } from "@/api/queries";
import type { SpanRow } from "@/lib/spans";
import { goodTrace } from "./failure-groups";
import css from "./failure-strip.module.css";

/** One of these is of the same request or job, if any is. */
const LISTED = 20;

interface Props {
  run: Run;
  rows: readonly SpanRow[];
  /** The failure that is shown. */
  row: SpanRow;
}

/** Compares what failed with the last one that went well: of the traces of its run, or of the runs of its program. */
export function CompareGood({ run, rows, row }: Props) {
  const trace = useMemo(() => (run.traces > 1 ? goodTrace(rows, row) : null), [run.traces, rows, row]);
  const before = useGoodRun(run, trace === null);
  const [a, b] = trace === null ? [before, run.run_id] : [trace, row.traceId];
  if (!a) return <span className={css.compare} />;
  return (
    <Link
      to="/diff"
      search={{ a, b }}
      className={css.compare}
      title={trace === null ? "Compare with the last run of this program that succeeded" : "Compare the two traces"}
    >
      <GitCompareArrows size={13} aria-hidden />
      Compare with the last good one
    </Link>
  );
}

/** The last successful run of a program before one of its runs; with the same name, if any has it. */
function useGoodRun({ service, name, origin, start_time_unix_nano }: Run, enabled: boolean): string | undefined {
  const filter = { status: ["ok" as const], until: start_time_unix_nano, replays: "false" as const };
  const { data } = useQuery({
    ...topRunsQuery({ filter: { ...filter, ...(service && { service }) }, sort: "time", order: "desc" }, LISTED),
    enabled: enabled && service !== null,
  });
  const runs = data?.items ?? [];
  const same = runs.find((each) => each.name === name);
  // Requests of a server are for different things.
  return (same ?? (origin === "request" ? undefined : runs[0]))?.run_id;
}
