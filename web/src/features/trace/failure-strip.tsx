import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { useMemo } from "react";
import { isServed, type Run } from "@/api/client";
import { eventQuery } from "@/api/queries";
import { count, duration, plural } from "@/lib/format";
import type { SpanRow } from "@/lib/spans";
import { visibleLine } from "@/lib/visible";
import { ErrorType } from "@/ui/error-type";
import { kindLabel } from "@/ui/kind";
import { Recorded } from "@/ui/recorded";
import { StatusMark } from "@/ui/status";
import { StepButtons } from "@/ui/step-buttons";
import { CompareGood } from "./compare-good";
import { failureGroups, nextOfGroup } from "./failure-groups";
import css from "./failure-strip.module.css";

interface Props {
  rows: readonly SpanRow[];
  /** Where trouble began, by start: places among the rows. */
  failures: readonly number[];
  /** The one that is shown. */
  current: number;
  /** Whether the run as a whole ended well despite it. */
  recovered: boolean;
  /** The run, if it can be compared. */
  run: Run | null;
  onSelect: (spanId: string) => void;
  onStep: (by: 1 | -1) => void;
}

/** Says what failed first and why, or what was lost, in one line. */
export function FailureStrip(props: Props) {
  const { rows, failures, current } = props;
  const row = rows[failures[current] as number];
  if (!row) return null;
  const inferred = failures.filter((at) => rows[at]?.inferred).length;
  const lost = failures.filter((at) => rows[at]?.status === "lost").length;
  const isOnlyLost = lost === failures.length;
  const noun = isOnlyLost ? "lost call" : "failure";
  return (
    <section
      className={clsx(css.strip, isOnlyLost && css.lost)}
      aria-label={isOnlyLost ? "What was lost" : "What failed"}
    >
      <div className={css.what}>
        <StatusMark status={row.status} size={15} />
        <p className={css.text}>
          <span className={css.lead}>
            {leadOf(props)}
            {row.inferred && ", inferred from messages"}, {duration(Math.max(0, row.startMs))} in:
          </span>{" "}
          <button type="button" className={css.span} onClick={() => props.onSelect(row.id)}>
            <span>{kindLabel(row.kind)}</span> <bdi>{visibleLine(row.tool ?? row.agent ?? row.model ?? row.name)}</bdi>
          </button>
          <Reason row={row} />
        </p>
      </div>
      <div className={css.tools}>
        {props.recovered && <span className={css.lead}>The run continued and succeeded.</span>}
        {!props.recovered && props.run && isServed() && <CompareGood run={props.run} rows={rows} row={row} />}
        {failures.length > 1 && (
          <>
            <span className={css.count}>
              {count(current + 1)} of {count(failures.length)}
              {inferred > 0 && ` (${count(inferred)} inferred)`}
              {lost > 0 && !isOnlyLost && ` (${count(lost)} lost)`}
            </span>
            <StepButtons noun={noun} actions={["previousFailure", "nextFailure"]} onStep={props.onStep} />
          </>
        )}
      </div>
      {failures.length > 1 && !isOnlyLost && <Groups {...props} />}
    </section>
  );
}

/** What is shown: a lost call, or which of the failures. */
function leadOf({ rows, failures, current }: Props): string {
  const isLost = (at: number) => rows[at]?.status === "lost";
  if (isLost(failures[current] as number)) return "Lost call";
  const before = failures.slice(0, current).filter((at) => !isLost(at)).length;
  return before === 0 ? "First failure" : `Failure ${count(before + 1)}`;
}

const MOST_GROUPS = 6;

/** The failures by the type of their error; a click shows the next one of that type. */
function Groups({ rows, failures, current, onSelect }: Props) {
  const groups = useMemo(() => failureGroups(rows, failures), [rows, failures]);
  const rest = groups.slice(MOST_GROUPS);
  // What failed is in the line above.
  if (groups.length === 1 && !groups[0]?.hasType) return null;
  return (
    <ul className={css.groups} aria-label="Failures by error">
      {groups.slice(0, MOST_GROUPS).map((group) => {
        const next = rows[failures[nextOfGroup(group, current)] ?? -1];
        return (
          <li key={`${group.hasType} ${group.name}`}>
            <button
              type="button"
              className={css.group}
              aria-current={group.failures.includes(current) || undefined}
              title="Next failure with this error"
              onClick={() => next && onSelect(next.id)}
            >
              {group.hasType ? <ErrorType type={group.name} /> : <Recorded text={group.name} />}
              <b>{count(group.failures.length)}</b>
            </button>
          </li>
        );
      })}
      {rest.length > 0 && (
        <li className={css.lead}>
          {count(rest.reduce((sum, { failures: more }) => sum + more.length, 0))} of{" "}
          {plural(rest.length, "other error")}
        </li>
      )}
    </ul>
  );
}

function Reason({ row }: { row: SpanRow }) {
  const isLost = row.status === "lost";
  const { data } = useQuery({ ...eventQuery(row.id, row.traceId), enabled: !isLost });
  if (isLost) return <span>, whose process ended first.</span>;
  const type = data?.error?.type ?? row.errorType;
  const message = data?.error?.message;
  const text = message ? visibleLine(message) : data ? "No message was recorded." : "";
  return (
    <span title={text}>
      {" "}
      {type && (
        <b className={css.type}>
          <ErrorType type={type} />:
        </b>
      )}{" "}
      <bdi>{text}</bdi>
    </span>
  );
}
