import { Link } from "@tanstack/react-router";
import clsx from "clsx";
import { ChevronDown, ChevronUp } from "lucide-react";
import { type ReactNode, useState } from "react";
import { isServed, type Run, type Trace } from "@/api/client";
import { clock as clockTime, compact, count, day, dollars, duration, moment, plural, withoutPrice } from "@/lib/format";
import { runName } from "@/lib/run-name";
import { unixMs } from "@/lib/time";
import { Button } from "@/ui/button";
import { Recorded } from "@/ui/recorded";
import { StatusMark } from "@/ui/status";
import type { InferredCounts } from "./picture";
import { RunningTime } from "./running-time";
import css from "./trace-figures.module.css";
import type { Clock } from "./use-clock";

interface Props {
  trace: Trace;
  run: Run | null;
  clock: Clock;
  inferred: InferredCounts;
  /** Shown after the figures. */
  children: ReactNode;
}

/** The figures of a run. On a narrow page three of them show, and the others on demand. */
export function TraceFigures({ trace, run, clock, inferred, children }: Props) {
  const [all, setAll] = useState(false);
  const Chevron = all ? ChevronUp : ChevronDown;
  const session = run?.origin === "session" ? run.name : trace.session_id;
  const began = unixMs(trace.start_time_unix_nano);
  return (
    <div className={css.all}>
      <dl className={css.figures} data-all={all || undefined}>
        <Figure name="Started">
          <time dateTime={new Date(began).toISOString()} title={moment(began)}>
            {day(began)} {clockTime(began)}
          </time>
        </Figure>
        <Figure name="Duration" brief>
          {clock.running ? <RunningTime now={clock.now} /> : duration(trace.duration_ms)}
        </Figure>
        {run && run.traces > 1 && (
          <Figure name="Traces">
            {count(run.traces)}
            {run.failed_traces > 0 && <span className={css.failed}>, {count(run.failed_traces)} failed</span>}
          </Figure>
        )}
        <Figure name="Calls">
          {count(trace.calls)}
          {trace.calls > 0 && trace.spans > trace.calls && (
            <span className={css.more} title="Spans of a call that another span counts for">
              {" "}
              + {plural(trace.spans - trace.calls, "duplicate")}
            </span>
          )}
        </Figure>
        <Figure name="Errors" brief>
          {trace.errors ? (
            <span className={css.errors}>
              <StatusMark status="error" size={13} /> {count(trace.errors)}
            </span>
          ) : (
            "0"
          )}
          {trace.errors === 0 && trace.status === "error" && (
            <span className={css.failed} title="What ended the program, which is no call and not counted">
              {" "}
              + uncaught
            </span>
          )}
          <Inferred count={inferred.failures} />
        </Figure>
        <Figure name="Model calls">{count(trace.llm_calls)}</Figure>
        <Figure name="Tool calls">
          {count(trace.tool_calls)}
          <Inferred count={inferred.tools} />
        </Figure>
        <Figure name={trace.models.length === 1 ? "Model" : "Models"}>
          <Models models={trace.models} />
        </Figure>
        <Figure name="Tokens">
          <Tokens trace={trace} />
        </Figure>
        <Figure name="Cost" brief>
          {dollars(trace.cost_usd)}
          {trace.unpriced_calls > 0 && <span className={css.more}> {withoutPrice(trace.unpriced_calls)}</span>}
        </Figure>
        {trace.service !== null && !(run && trace.service === runName(run)) && (
          <Figure name="Service">
            <Recorded text={trace.service} />
          </Figure>
        )}
        {!run && trace.run_id !== trace.trace_id && (
          <Figure name="Run">
            <Link to="/runs/$runId" params={{ runId: trace.run_id }} className={clsx("cut", css.session)}>
              <Recorded text={trace.run_id} />
            </Link>
          </Figure>
        )}
        {session !== null && (
          <Figure name="Session">
            <SessionName id={session} />
          </Figure>
        )}
      </dl>
      <Button look="plain" className={css.switch} aria-expanded={all} onClick={() => setAll(!all)}>
        {all ? "Fewer" : "All"} figures
        <Chevron size={14} aria-hidden />
      </Button>
      <div className={css.behind}>{children}</div>
    </div>
  );
}

function SessionName({ id }: { id: string }) {
  if (!isServed()) return <Recorded text={id} />;
  return (
    <Link to="/" search={{ session_id: id }} className={clsx("cut", css.session)}>
      <Recorded text={id} />
    </Link>
  );
}

/** How many more are inferred. */
function Inferred({ count: more }: { count: number }) {
  if (more === 0) return null;
  return (
    <span className={css.more} title="Inferred from messages, not counted">
      {" "}
      + {count(more)} inferred
    </span>
  );
}

interface FigureProps {
  name: string;
  /** Whether it shows on a narrow page too. */
  brief?: boolean;
  children: ReactNode;
}

function Figure({ name, brief, children }: FigureProps) {
  return (
    <div className={css.figure} data-brief={brief}>
      <dt>{name}</dt>
      <dd className="cut">{children}</dd>
    </div>
  );
}

const FEW = 3;

function Models({ models }: { models: readonly string[] }) {
  if (models.length === 0) return "–";
  const rest = models.length - FEW;
  return (
    <>
      <Recorded text={models.slice(0, FEW).join(", ")} />
      {rest > 0 && <span className={css.more}> + {rest}</span>}
    </>
  );
}

function Tokens({ trace }: { trace: Trace }) {
  if (!trace.input_tokens && !trace.output_tokens) return "–";
  return (
    <span title={`${count(trace.input_tokens)} in, ${count(trace.output_tokens)} out`}>
      {compact(trace.input_tokens)} <span className={css.more}>in →</span> {compact(trace.output_tokens)}{" "}
      <span className={css.more}>out</span>
      {trace.cached_tokens > 0 && (
        <span className={css.more} title={`${count(trace.cached_tokens)} of the input came from a cache`}>
          {" "}
          ({compact(trace.cached_tokens)} cached)
        </span>
      )}
    </span>
  );
}
