import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { GitCompareArrows } from "lucide-react";
import type { Run, Trace } from "@/api/client";
import { topRunsQuery } from "@/api/queries";
import { runName } from "@/lib/run-name";
import { Popover } from "@/ui/popover";
import { Recorded } from "@/ui/recorded";
import { StatusMark } from "@/ui/status";
import { When } from "@/ui/when";
import css from "./compare-menu.module.css";
import header from "./trace-header.module.css";

const LISTED = 8;

interface Props {
  trace: Trace;
  run: Run | null;
}

/** Offers runs to compare this one with: those of the same program before it first. */
export function CompareMenu({ trace, run }: Props) {
  return (
    <Popover
      label="Compare with"
      className={header.elsewhere}
      panel={(close) => <Offered trace={trace} run={run} onChoose={close} />}
    >
      <GitCompareArrows size={14} aria-hidden />
      <span className={header.action}>Compare</span>
    </Popover>
  );
}

function Offered({ trace, run, onChoose }: Props & { onChoose: () => void }) {
  const { service, start_time_unix_nano } = run ?? trace;
  const ownId = trace.run_id;
  const before = { until: start_time_unix_nano, ...(service && { service }) };
  const earlier = useQuery(topRunsQuery({ filter: before, sort: "time", order: "desc" }, LISTED));
  const latest = useQuery(topRunsQuery({ filter: {}, sort: "time", order: "desc" }, LISTED));
  const ofProgram = (earlier.data?.items ?? []).filter(({ run_id }) => run_id !== ownId);
  const known = new Set([ownId, ...ofProgram.map(({ run_id }) => run_id)]);
  const others = (latest.data?.items ?? []).filter(({ run_id }) => !known.has(run_id));
  const b = run?.run_id ?? trace.trace_id;
  if (earlier.isPending || latest.isPending) return <p className={css.note}>Looking for runs…</p>;
  if (ofProgram.length + others.length === 0) return <p className={css.note}>No other run is recorded.</p>;
  return (
    <div className={css.menu}>
      <Group title="Before it, of the same program" runs={ofProgram} b={b} onChoose={onChoose} />
      <Group title="Other runs" runs={others} named b={b} onChoose={onChoose} />
    </div>
  );
}

interface GroupProps {
  title: string;
  runs: readonly Run[];
  /** Whether they are of several programs, and each has the name of its own. */
  named?: boolean;
  b: string;
  onChoose: () => void;
}

function Group({ title, runs, named = false, b, onChoose }: GroupProps) {
  if (runs.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2 className={css.title}>{title}</h2>
      <ul className={css.runs}>
        {runs.map((run) => (
          <li key={run.run_id}>
            <Link to="/diff" search={{ a: run.run_id, b }} className={css.run} onClick={onChoose}>
              <StatusMark status={run.status} />
              <Recorded text={titleOf(run, named)} className={css.name} />
              <When time={run.start_time_unix_nano} className={css.when} />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function titleOf(run: Run, named: boolean): string {
  if (run.question === null) return runName(run);
  return named ? `${runName(run)}: ${run.question}` : run.question;
}
