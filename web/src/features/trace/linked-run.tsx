import { Link } from "@tanstack/react-router";
import { GitCompareArrows } from "lucide-react";
import type { LinkedRun } from "@/api/client";
import { moment } from "@/lib/format";
import { unixMs } from "@/lib/time";
import { Recorded } from "@/ui/recorded";
import { StatusMark } from "@/ui/status";
import { When } from "@/ui/when";
import css from "./linked-run.module.css";

interface Props {
  run: LinkedRun;
  /** The run whose page this is. */
  of: string;
}

/** The run that the one of this page replays, and both compared. */
export function OriginalLink({ run, of }: Props) {
  if (run.start_time_unix_nano === null) {
    return (
      <span className={css.gone}>
        <Recorded text={run.run_id} />, which is not recorded here
      </span>
    );
  }
  return <Linked run={run} compared={{ a: run.run_id, b: of }} />;
}

/** A replay of the run of this page, and both compared. */
export function ReplayLink({ run, of }: Props) {
  return <Linked run={run} compared={{ a: of, b: run.run_id }} />;
}

function Linked({ run, compared }: { run: LinkedRun; compared: { a: string; b: string } }) {
  const { run_id, name, question, status, start_time_unix_nano: began } = run;
  const at = began === null ? "" : moment(unixMs(began));
  return (
    <span className={css.linked}>
      <Link to="/runs/$runId" params={{ runId: run_id }} className={css.run}>
        {status !== null && <StatusMark status={status} size={13} />}
        <Recorded text={question ?? name ?? run_id} className={css.name} />
        {began !== null && <When time={began} className={css.when} />}
      </Link>
      <Link
        to="/diff"
        search={compared}
        className={css.compare}
        title="Compare the two runs"
        aria-label={`Compare with the run of ${at}`}
      >
        <GitCompareArrows size={13} aria-hidden />
        Compare
      </Link>
    </span>
  );
}
