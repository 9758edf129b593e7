import { Link } from "@tanstack/react-router";
import clsx from "clsx";
import { ArrowLeftRight } from "lucide-react";
import { isServed } from "@/api/client";
import type { Diff, DiffRun } from "@/api/diff";
import { compact, count, duration, plural } from "@/lib/format";
import { visible } from "@/lib/visible";
import { Button, CopyButton } from "@/ui/button";
import { usePageTitle } from "@/ui/page-title";
import { Recorded } from "@/ui/recorded";
import { StatusMark } from "@/ui/status";
import { StepButtons } from "@/ui/step-buttons";
import { SummedCost } from "@/ui/summed-cost";
import { When } from "@/ui/when";
import css from "./diff-header.module.css";
import { ignoredWords, partingSentence, programsSentence, programWords } from "./words";

interface Props {
  diff: Diff;
  /** The indexes of the calls that differ. */
  places: readonly number[];
  at: number | null;
  all: boolean;
  onSelect: (place: number) => void;
  onStep: (by: 1 | -1) => void;
  onAll: () => void;
}

/** The compared runs, where they diverge and why, and what was not compared. */
export function DiffHeader({ diff, places, at, all, onSelect, onStep, onAll }: Props) {
  const names = [diff.a, diff.b].map(({ name, label }) => name ?? label);
  usePageTitle(names[0] === names[1] ? `${names[0]}, compared` : names.join(" and "));
  const ignored = ignoredWords(diff.ignored);
  const programs = programsSentence(diff);
  const place = at === null ? -1 : places.indexOf(at);
  return (
    <header className={css.header}>
      <h1 className="visually-hidden">Two runs, compared</h1>
      <div className={css.runs}>
        <Side run={diff.a} which="first" />
        <Side run={diff.b} which="second" />
      </div>
      <div className={css.line}>
        <Verdict diff={diff} onSelect={onSelect} />
        <div className={css.tools}>
          {places.length > 0 && (
            <>
              <span className={css.place}>
                {place >= 0
                  ? `Difference ${count(place + 1)} of ${count(places.length)}`
                  : plural(places.length, "difference")}
              </span>
              <StepButtons noun="difference" actions={["previousDifference", "nextDifference"]} onStep={onStep} />
              <Button pressed={all} onClick={onAll}>
                Equal calls
              </Button>
            </>
          )}
          {isServed() && (
            <>
              <Link
                to="/diff"
                search={{ a: diff.b.label, b: diff.a.label }}
                className={css.tool}
                title="Swap the runs"
                aria-label="Swap the runs"
              >
                <ArrowLeftRight size={14} aria-hidden />
              </Link>
              <CopyButton text={() => location.href} label="Copy a link to this view" />
            </>
          )}
        </div>
      </div>
      {programs !== null && (
        <p className={css.ignored}>
          <bdi>{visible(programs)}</bdi>
        </p>
      )}
      {diff.program.length > 0 && (
        <p className={css.ignored}>
          Program: <bdi>{visible(programWords(diff.program))}</bdi>
        </p>
      )}
      {ignored && <p className={css.ignored}>Not compared: {ignored}</p>}
    </header>
  );
}

function Side({ run, which }: { run: DiffRun; which: "first" | "second" }) {
  const name = <Recorded text={run.name ?? run.label} />;
  return (
    <section className={css.side} aria-label={`The ${which} run`}>
      <span className={which === "first" ? css.first : css.second} aria-hidden>
        {which === "first" ? "−" : "+"}
      </span>
      {run.status && <StatusMark status={run.status} />}
      {run.run_id === null ? (
        name
      ) : (
        <Link to="/runs/$runId" params={{ runId: run.run_id }} search={{}} className={clsx("cut", css.name)}>
          {name}
        </Link>
      )}
      <span className={css.about}>
        {run.start_time_unix_nano && <When time={run.start_time_unix_nano} />}
        <span>{duration(run.duration_ms)}</span>
        <span>{plural(run.spans, "span")}</span>
        <Sums run={run} />
      </span>
    </section>
  );
}

/** What failed, and what the run used and cost; nothing for a file with several traces. */
function Sums({ run }: { run: DiffRun }) {
  const { errors, input_tokens: input, output_tokens: output, cost_usd, unpriced_calls } = run;
  const priced = cost_usd !== null || Boolean(unpriced_calls);
  return (
    <>
      {Boolean(errors) && <span className={css.errors}>{plural(errors ?? 0, "error")}</span>}
      {Boolean(input || output) && (
        <span title="Tokens in and out">
          {compact(input)} → {compact(output)} tokens
        </span>
      )}
      {priced && (
        <span>
          <SummedCost of={{ cost_usd, unpriced_calls: unpriced_calls ?? 0 }} />
        </span>
      )}
    </>
  );
}

function Verdict({ diff, onSelect }: { diff: Diff; onSelect: (place: number) => void }) {
  const { cause, first } = diff;
  if (cause === null) return <p className={css.verdict}>The runs are equal.</p>;
  const parting = partingSentence(diff) ?? "The calls and their results are the same; an input differs.";
  return (
    <p className={css.verdict}>
      {first === null ? (
        <bdi>{visible(parting)}</bdi>
      ) : (
        <button type="button" className={css.jump} onClick={() => onSelect(first)}>
          <bdi>{visible(parting)}</bdi>
        </button>
      )}{" "}
      <button type="button" className={css.jump} onClick={() => onSelect(cause.step)}>
        Cause: <bdi>{visible(cause.sentence)}</bdi>.
      </button>
    </p>
  );
}
