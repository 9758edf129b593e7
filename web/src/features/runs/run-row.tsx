import { Link } from "@tanstack/react-router";
import clsx from "clsx";
import { ArrowRight, Ellipsis, History, Trash2 } from "lucide-react";
import { memo } from "react";
import type { Run } from "@/api/client";
import { count, duration, plural } from "@/lib/format";
import { counted } from "@/lib/labels";
import { runName } from "@/lib/run-name";
import { unixMs } from "@/lib/time";
import { visibleLine } from "@/lib/visible";
import { LabelChip } from "@/ui/label-chip";
import { CallsValue, ListRow, TokenValue, Value } from "@/ui/list";
import { OriginIcon } from "@/ui/origin";
import { Recorded } from "@/ui/recorded";
import { rowClicks } from "@/ui/row-clicks";
import { SpanName } from "@/ui/span-name";
import { StatusMark } from "@/ui/status";
import { SummedCost } from "@/ui/summed-cost";
import { Timeline } from "@/ui/timeline";
import { useNow } from "@/ui/use-now";
import type { RowPlace } from "@/ui/virtual-grid";
import { When } from "@/ui/when";
import { LastFailure } from "./last-failure";
import css from "./runs-list.module.css";
import { Snippet } from "./snippet";

interface Props extends RowPlace {
  run: Run;
  q: string | undefined;
  onOpen: (runId: string, elsewhere: boolean) => void;
  picked: boolean;
  onPick: (runId: string, range: boolean) => void;
  onDelete: (runIds: Iterable<string>) => void;
}

/** One run with its input and output. A click on the row opens it; its name is the link. */
export const RunRow = memo(function RunRow({ run, q, picked, onOpen, onPick, onDelete, ...place }: Props) {
  return (
    <ListRow {...place} {...rowClicks((elsewhere) => onOpen(run.run_id, elsewhere))}>
      <Value className={css.marks}>
        <input
          type="checkbox"
          tabIndex={-1}
          className={css.pick}
          aria-label={`Select the run ${visibleLine(runName(run))}`}
          checked={picked}
          // A range needs the modifier key, which a change event does not have.
          onClick={(event) => onPick(run.run_id, event.shiftKey)}
          onChange={() => {}}
        />
        <StatusMark status={run.status} />
      </Value>
      <Value look="text" className={css.about}>
        <span className={css.name}>
          <OriginIcon origin={run.origin} />
          <Link
            to="/runs/$runId"
            params={{ runId: run.run_id }}
            search={q ? { find: q } : {}}
            tabIndex={-1}
            className={clsx("cut", css.link)}
          >
            <SpanName name={runName(run)} />
          </Link>
          {run.open_calls > 0 && <span className={css.open}>{count(run.open_calls)} open</span>}
          <Traces run={run} />
          {run.replay_of !== undefined && <ReplayChip of={run.replay_of} runId={run.run_id} />}
          {run.labels.length > 0 && (
            <span className={css.labels}>
              {counted(run.labels).map(({ label, count }) => (
                <LabelChip key={label.label_id} label={label} count={count} />
              ))}
            </span>
          )}
        </span>
        <span className={css.excerpts}>
          {q ? <Snippet runId={run.run_id} q={q} or={<Gist run={run} />} /> : <Gist run={run} />}
        </span>
      </Value>
      <Value look="text">{run.agent && <Recorded text={run.agent} />}</Value>
      <Value className={css.timeline}>
        <Timeline
          bars={run.timeline ?? []}
          totalMs={run.duration_ms}
          startMs={unixMs(run.start_time_unix_nano)}
          running={run.status === "running"}
          label={`${plural(run.llm_calls, "model call")}, ${plural(run.tool_calls, "tool call")}`}
        />
      </Value>
      <Value look="number">{run.status === "running" ? <Lasting run={run} /> : duration(run.duration_ms)}</Value>
      <CallsValue of={run} />
      <Value look="number" bad={run.errors > 0}>
        {count(run.errors)}
      </Value>
      <Value look="text">{run.models.length > 0 ? <Recorded text={run.models.join(", ")} /> : null}</Value>
      <TokenValue sums={run} />
      <Value look="number">
        <SummedCost of={run} />
      </Value>
      <Value look="number">
        <When time={run.start_time_unix_nano} />
      </Value>
      <Value>
        <button
          type="button"
          tabIndex={-1}
          className={css.delete}
          title="Delete this run"
          aria-label={`Delete the run ${visibleLine(runName(run))}`}
          onClick={() => onDelete([run.run_id])}
        >
          <Trash2 size={14} aria-hidden />
        </button>
      </Value>
    </ListRow>
  );
});

/** Marks a replay, and links to the comparison with its original. */
function ReplayChip({ of, runId }: { of: string; runId: string }) {
  return (
    <Link
      to="/diff"
      search={{ a: of, b: runId }}
      tabIndex={-1}
      className={css.replay}
      title={`Replay of ${visibleLine(of)}. Compare the two runs`}
    >
      <History size={11} aria-hidden />
      replay
    </Link>
  );
}

/** How many traces a run of several has, and how many of them failed. */
function Traces({ run: { traces, failed_traces: failed } }: { run: Run }) {
  if (traces < 2) return null;
  if (failed === 0) return <span className={css.traces}>{plural(traces, "trace")}</span>;
  return (
    <span className={css.traces}>
      <span className={css.failed}>{count(failed)}</span> of {plural(traces, "trace")} failed
    </span>
  );
}

/** Input, and output or error; for a run without any, how it began. */
function Gist({ run }: { run: Run }) {
  // The errors of a run of several traces can be as many. If none of them failed, an exception ended the program.
  if (run.status === "error" && (run.traces === 1 || run.failed_traces === 0)) {
    return (
      <span className={css.exchange}>
        {run.question !== null && <Recorded text={run.question} className={css.asked} />}
        <LastFailure run={run} />
      </span>
    );
  }
  if (run.question === null && run.answer === null) {
    return run.trace_name === run.name ? null : <SpanName name={run.trace_name} />;
  }
  return (
    <span className={css.exchange}>
      {run.question !== null && <Recorded text={run.question} className={css.asked} />}
      {run.answer !== null && (
        <>
          {run.traces > 1 ? (
            // The last answer of several traces may be one to another question.
            <Ellipsis size={11} aria-label="last answer" className={css.arrow} />
          ) : (
            <ArrowRight size={11} aria-label="answered" className={css.arrow} />
          )}
          <Recorded text={run.answer} className={css.answered} />
        </>
      )}
    </span>
  );
}

const TICK_MS = 250;

function Lasting({ run }: { run: Run }) {
  const now = useNow(TICK_MS);
  return <span className={css.running}>{duration(Math.max(0, now - unixMs(run.start_time_unix_nano)))}</span>;
}
