import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import clsx from "clsx";
import { Activity, ChartNoAxesColumn, Network, Rows3, ScrollText, Trash2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { isNotFound, isServed, type Run, type Trace } from "@/api/client";
import { useConnection } from "@/api/connection";
import { deleteRun, deleteTrace } from "@/api/queries";
import { compact } from "@/lib/format";
import { runName } from "@/lib/run-name";
import { Button, CopyButton } from "@/ui/button";
import { Confirm } from "@/ui/confirm";
import { usePageTitle } from "@/ui/page-title";
import { Recorded } from "@/ui/recorded";
import { StatusMark } from "@/ui/status";
import { useTraceAddress } from "./address";
import { CompareMenu } from "./compare-menu";
import type { InferredCounts } from "./picture";
import { ReplayLine } from "./replay-line";
import { ReplayMenu } from "./replay-menu";
import { TraceFigures } from "./trace-figures";
import css from "./trace-header.module.css";
import { VIEWS, type View } from "./url";
import type { Clock } from "./use-clock";

const LOOKS = {
  waterfall: { Icon: Rows3, label: "Waterfall" },
  graph: { Icon: Network, label: "Graph" },
  transcript: { Icon: ScrollText, label: "Transcript" },
} as const;

/** Signs in the title of the browser tab, by status. */
const SIGNS: Partial<Record<Trace["status"], string>> = { running: "● ", error: "✗ ", lost: "? " };

interface Props {
  trace: Trace;
  /** The run, where all of it is shown. */
  run: Run | null;
  view: View;
  onView: (view: View) => void;
  clock: Clock;
  /** Inferred calls, which are in no count of recorded ones. */
  inferred: InferredCounts;
  /** How many spans of how many are loaded, while loading. */
  loaded: number | null;
  /** Why loading stopped. */
  error: Error | null;
  onReload: () => void;
  /** The labels of the run. */
  labels: ReactNode;
}

/** The name of a run, its outcome and its figures. */
export function TraceHeader({ trace, run, view, onView, clock, inferred, loaded, error, onReload, labels }: Props) {
  const connection = useConnection();
  const name = (run ? runName(run) : trace.name) || "no name";
  usePageTitle(`${SIGNS[trace.status] ?? ""}${name}`);
  return (
    <header className={css.header}>
      <div className={css.line}>
        <h1 className={clsx("cut", css.name)}>
          <Recorded text={name} />
        </h1>
        <StatusMark status={trace.status} label size={15} />
        {clock.running && connection === "fine" && (
          <span className={css.live} title="Spans appear as they happen">
            live
          </span>
        )}
        {(loaded !== null || error) && (
          <span className={css.loading} role={error ? "alert" : "status"}>
            {loaded !== null && `${compact(loaded)} of ${compact(trace.spans)} spans`}
            {error && (
              <>
                {" "}
                {isNotFound(error) ? "This run was deleted; what is shown was loaded before." : error.message}{" "}
                {!isNotFound(error) && (
                  <Button look="plain" onClick={onReload}>
                    Try again
                  </Button>
                )}
              </>
            )}
          </span>
        )}
        <div className={css.tools}>
          <ViewSwitch view={view} onView={onView} />
          {isServed() && (
            <>
              <Elsewhere only={run ? { run_id: run.run_id } : { trace_id: trace.trace_id }} />
              <CompareMenu trace={trace} run={run} />
              <ReplayMenu runId={trace.run_id} />
              <CopyButton text={() => location.href} label="Copy a link to this view">
                <span className={css.action}>Link</span>
              </CopyButton>
              <DeleteButton traceId={trace.trace_id} runId={run?.run_id ?? null} />
            </>
          )}
        </div>
      </div>
      <Gist question={trace.question} answer={trace.answer} traces={run?.traces ?? 1} />
      {isServed() && <ReplayLine runId={trace.run_id} />}
      <TraceFigures {...{ trace, run, clock, inferred }}>{labels}</TraceFigures>
    </header>
  );
}

/** What it was about, in a line. */
function Gist({ question, answer, traces }: Pick<Trace, "question" | "answer"> & { traces: number }) {
  if (question === null && answer === null) return null;
  return (
    <p className={css.excerpts}>
      {question !== null && <Recorded text={question} className={css.asked} />}
      {answer !== null && (
        <>
          <span role="img" aria-label={traces > 1 ? "last answer" : "answered"}>
            {traces > 1 ? " … " : " → "}
          </span>
          <Recorded text={answer} className={css.answered} />
        </>
      )}
    </p>
  );
}

/** The same spans as a list, and as figures. */
function Elsewhere({ only }: { only: { run_id: string } | { trace_id: string } }) {
  return (
    <>
      <Link
        to="/spans"
        search={only}
        className={css.elsewhere}
        title="Spans of this run"
        aria-label="Spans of this run"
      >
        <Activity size={14} aria-hidden />
        <span className={css.action}>Spans</span>
      </Link>
      <Link
        to="/stats"
        search={only}
        className={css.elsewhere}
        title="Stats of this run"
        aria-label="Stats of this run"
      >
        <ChartNoAxesColumn size={14} aria-hidden />
        <span className={css.action}>Stats</span>
      </Link>
    </>
  );
}

function ViewSwitch({ view, onView }: { view: View; onView: (view: View) => void }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for what is filled in
    <div role="group" aria-label="View" className={css.views}>
      {VIEWS.map((each) => {
        const { Icon, label } = LOOKS[each];
        return (
          <Button
            key={each}
            look="plain"
            pressed={each === view}
            onClick={() => onView(each)}
            className={css.view}
            aria-label={label}
            title={label}
          >
            <Icon size={14} aria-hidden />
            <span className={css.word}>{label}</span>
          </Button>
        );
      })}
    </div>
  );
}

/** Asks once more before it deletes. */
function DeleteButton({ traceId, runId }: { traceId: string; runId: string | null }) {
  const [asked, setAsked] = useState(false);
  const { leave } = useTraceAddress();
  const queries = useQueryClient();

  async function remove() {
    await (runId === null ? deleteTrace(traceId) : deleteRun(runId));
    // Leave first, or the deleted run would be loaded again.
    leave();
    queries.removeQueries({ queryKey: ["event", traceId] });
    for (const noun of ["runs", "sessions", "stats", "events"]) void queries.invalidateQueries({ queryKey: [noun] });
  }

  return (
    <>
      <Button look="plain" onClick={() => setAsked(true)} aria-label="Delete this run" title="Delete this run">
        <Trash2 size={14} aria-hidden />
        <span className={css.action}>Delete</span>
      </Button>
      <Confirm open={asked} onClose={() => setAsked(false)} title="Delete this run?" action="Delete run" run={remove}>
        Everything recorded for it is permanently removed.
      </Confirm>
    </>
  );
}
