import { useMemo } from "react";
import { calleeName } from "@/lib/calls";
import type { FullSpan } from "@/lib/full-span";
import { onlyTextOf, textOf } from "@/lib/messages";
import { visibleLine } from "@/lib/visible";
import { JsonView } from "@/ui/json-view";
import { LongText } from "@/ui/message-text";
import { StatusMark } from "@/ui/status";
import type { AgentStart, InputEntry, Outcome } from "./entries";
import type { ItemProps } from "./item-props";
import { Clipped, ErrorText, Head, Note, ParallelNote, Pending, Took } from "./parts";
import css from "./thread-items.module.css";
import { useEvent } from "./use-event";

/** The input of a run. */
export function InputItem({ entry, onSelect }: ItemProps<InputEntry>) {
  const { call } = entry;
  const event = useEvent(call);
  return (
    <>
      <Head call={call} kind={call.row.kind} name={calleeName(call.row)} onSelect={onSelect}>
        <Took call={call} />
      </Head>
      {event.span ? (
        <Value span={event.span} side="input" label="input of the run" />
      ) : (
        <Pending event={event} lines={2} />
      )}
    </>
  );
}

/** The start of an agent; its input is in its first model call, if it has one. */
export function AgentItem({ entry, onSelect }: ItemProps<AgentStart>) {
  const { call, hasTurns } = entry;
  const event = useEvent(hasTurns ? null : call);
  return (
    <>
      <ParallelNote parallel={entry.parallel} />
      <Head call={call} kind="agent" name={calleeName(call.row)} onSelect={onSelect}>
        <Took call={call} />
      </Head>
      {!hasTurns &&
        (event.span ? (
          <Value span={event.span} side="input" label="input of the agent" />
        ) : (
          <Pending event={event} lines={1} />
        ))}
    </>
  );
}

const ENDED = new Map([
  ["running", "is running …"],
  ["ok", "ended with"],
  ["error", "failed"],
  ["denied", "was denied"],
  ["cancelled", "was cancelled"],
  ["abandoned", "was still open when the call around it ended"],
  ["lost", "was lost: its process ended"],
]);

/** How a workflow or an agent ended, and its output unless it is shown directly above. */
export function OutcomeItem({ entry, onSelect }: ItemProps<Outcome>) {
  const { call, answer } = entry;
  const { status } = call.row;
  const isOver = status !== "running" && status !== "lost";
  const event = useEvent(isOver ? call : null);
  const last = useEvent(isOver ? answer : null);
  const isShownAbove = useMemo(
    () => event.span !== null && last.span !== null && isAnswerOf(event.span, last.span),
    [event.span, last.span],
  );
  const ready = event.span && (answer === null || last.span || last.error);
  // The outcome of the whole run is always shown in full, at its end.
  const isFolded = isShownAbove && call.parent !== null && status === "ok";
  return (
    <>
      <div className={css.end}>
        <button type="button" className={css.name} onClick={() => onSelect(call)}>
          {visibleLine(calleeName(call.row))}
        </button>
        <span>{isFolded ? "ended with the answer above" : ENDED.get(status)}</span>
        {status !== "ok" && <StatusMark status={status} />}
      </div>
      {isOver && !(event.span && ready) && <Pending event={event.error ? event : last} lines={1} />}
      {isOver && event.span && ready && status === "error" && <ErrorText span={event.span} call={call} />}
      {isOver && event.span && ready && !isFolded && (status === "ok" || event.span.output !== null) && (
        <Value span={event.span} side="output" label="output" />
      )}
    </>
  );
}

/** Whether an output equals the last answer of the model. */
function isAnswerOf(span: FullSpan, last: FullSpan): boolean {
  const message = span.messages.output.at(-1);
  const answered = last.messages.output.at(-1);
  return (
    message !== undefined &&
    answered !== undefined &&
    textOf(message) !== "" &&
    textOf(message).trim() === textOf(answered).trim()
  );
}

function Value({ span, side, label }: { span: FullSpan; side: "input" | "output"; label: string }) {
  const value = span[side];
  if (value === null || value === "") {
    return Object.hasOwn(span.clipped, side) ? (
      <Clipped span={span} keys={[side]} />
    ) : (
      <Note>Nothing was recorded.</Note>
    );
  }
  const text = Array.isArray(value) ? onlyTextOf(span.messages[side]) : value;
  return (
    <div className={css.value}>
      {typeof text === "string" ? (
        <LongText text={text} lines={30} />
      ) : (
        <JsonView value={value} label={label} lines={30} />
      )}
      <Clipped span={span} keys={[side]} />
    </div>
  );
}
