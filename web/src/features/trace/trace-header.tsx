import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Network, Rows3, ScrollText, Trash2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { ApiError, type Trace } from "@/api/client";
import { deleteTrace } from "@/api/queries";
import { compact, count, dollars, duration, moment, plural, withoutPrice } from "@/lib/format";
import { unixMs } from "@/lib/time";
import { Button, CopyButton } from "@/ui/button";
import { usePageTitle } from "@/ui/page-title";
import { Recorded } from "@/ui/recorded";
import { StatusMark } from "@/ui/status";
import { RunningTime } from "./running-time";
import css from "./trace-header.module.css";
import { VIEWS, type View } from "./url";
import type { Clock } from "./use-clock";

const LOOKS = {
  waterfall: { Icon: Rows3, label: "Waterfall" },
  graph: { Icon: Network, label: "Graph" },
  transcript: { Icon: ScrollText, label: "Transcript" },
} as const;

/** Told apart in a row of tabs. */
const SIGNS: Partial<Record<Trace["status"], string>> = { running: "● ", error: "✗ ", lost: "✗ " };

interface Props {
  trace: Trace;
  view: View;
  onView: (view: View) => void;
  clock: Clock;
  /** How many spans of how many are here, while they are on their way. */
  loaded: number | null;
  /** Why not all of them came. */
  error: Error | null;
  onReload: () => void;
}

function isGone(error: Error): boolean {
  return error instanceof ApiError && error.status === 404;
}

/** What a run was, how it went and what it took. */
export function TraceHeader({ trace, view, onView, clock, loaded, error, onReload }: Props) {
  usePageTitle(`${SIGNS[trace.status] ?? ""}${trace.name || "no name"}`);
  return (
    <header className={css.header}>
      <div className={css.line}>
        <h1 className={css.name}>
          <Recorded text={trace.name || "no name"} />
        </h1>
        <StatusMark status={trace.status} label size={15} />
        {clock.running && (
          <span className={css.live} title="Spans show as they happen">
            live
          </span>
        )}
        {(loaded !== null || error) && (
          <span className={css.loading} role={error ? "alert" : "status"}>
            {loaded !== null && `${compact(loaded)} of ${compact(trace.spans)} spans`}
            {error && (
              <>
                {" "}
                {isGone(error) ? "This run was deleted; what is shown was loaded before." : error.message}{" "}
                {!isGone(error) && (
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
          <CopyButton text={() => location.href} label="Copy a link to what shows now" />
          <DeleteButton traceId={trace.trace_id} />
        </div>
      </div>
      <Figures trace={trace} clock={clock} />
    </header>
  );
}

function ViewSwitch({ view, onView }: { view: View; onView: (view: View) => void }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for what is filled in
    <div role="group" aria-label="View" className={css.views}>
      {VIEWS.map((each) => {
        const { Icon, label } = LOOKS[each];
        return (
          <Button key={each} look="plain" pressed={each === view} onClick={() => onView(each)} className={css.view}>
            <Icon size={14} aria-hidden />
            {label}
          </Button>
        );
      })}
    </div>
  );
}

function Figures({ trace, clock }: { trace: Trace; clock: Clock }) {
  const began = unixMs(trace.start_time_unix_nano);
  return (
    <dl className={css.figures}>
      <Figure name="Started">
        <time dateTime={new Date(began).toISOString()}>{moment(began)}</time>
      </Figure>
      <Figure name="Duration">{clock.running ? <RunningTime now={clock.now} /> : duration(trace.duration_ms)}</Figure>
      <Figure name="Calls">
        {count(trace.calls)}
        {trace.spans > trace.calls && (
          <span className={css.more} title="Spans of a call that another span counts for">
            {" "}
            + {plural(trace.spans - trace.calls, "duplicate")}
          </span>
        )}
      </Figure>
      <Figure name="Errors">
        {trace.errors ? (
          <span className={css.errors}>
            <StatusMark status="error" size={13} /> {count(trace.errors)}
          </span>
        ) : (
          "0"
        )}
      </Figure>
      <Figure name="Model calls">{count(trace.llm_calls)}</Figure>
      <Figure name="Tool calls">{count(trace.tool_calls)}</Figure>
      <Figure name={trace.models.length === 1 ? "Model" : "Models"}>
        <Models models={trace.models} />
      </Figure>
      <Figure name="Tokens">
        <Tokens trace={trace} />
      </Figure>
      <Figure name="Cost">
        {dollars(trace.cost_usd)}
        {trace.unpriced_calls > 0 && <span className={css.more}> {withoutPrice(trace.unpriced_calls)}</span>}
      </Figure>
      {trace.service !== null && (
        <Figure name="Service">
          <Recorded text={trace.service} />
        </Figure>
      )}
      {trace.session_id !== null && (
        <Figure name="Session">
          <Link to="/" search={{ session_id: trace.session_id }} className={css.session}>
            <Recorded text={trace.session_id} />
          </Link>
        </Figure>
      )}
    </dl>
  );
}

function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={css.figure}>
      <dt>{name}</dt>
      <dd>{children}</dd>
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

/** Asks once more before it deletes. */
function DeleteButton({ traceId }: { traceId: string }) {
  const [asked, setAsked] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const navigate = useNavigate();
  const queries = useQueryClient();

  async function remove() {
    try {
      await deleteTrace(traceId);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      return;
    }
    queries.removeQueries({ queryKey: ["event", traceId] });
    for (const noun of ["traces", "sessions", "stats", "events"]) void queries.invalidateQueries({ queryKey: [noun] });
    void navigate({ to: "/" });
  }

  if (!asked) {
    return (
      <Button look="plain" onClick={() => setAsked(true)} aria-label="Delete this run" title="Delete this run">
        <Trash2 size={14} aria-hidden />
      </Button>
    );
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for what is filled in
    <span role="group" aria-label="Delete this run for good?" className={css.question}>
      <span role={problem ? "alert" : undefined}>{problem ?? "Delete this run for good?"}</span>
      <Button onClick={remove} autoFocus>
        Delete
      </Button>
      <Button look="plain" onClick={() => setAsked(false)}>
        Keep
      </Button>
    </span>
  );
}
