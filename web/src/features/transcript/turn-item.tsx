import { useMemo } from "react";
import { calleeName, countingRow, figureOf } from "@/lib/calls";
import { compact, dollars, plural } from "@/lib/format";
import type { FullSpan } from "@/lib/full-span";
import { type Messages as SpanMessages, toolNames } from "@/lib/messages";
import { visibleLine } from "@/lib/visible";
import { MessageView } from "@/ui/message";
import type { Turn } from "./entries";
import type { ItemProps } from "./item-props";
import { newMessages, withoutListedCalls } from "./new-messages";
import { Clipped, ErrorText, Head, Note, ParallelNote, Pending, Took } from "./parts";
import css from "./turn-item.module.css";
import { useEvent } from "./use-event";

/** A model call: the messages that are new to the model, then its answer. */
export function TurnItem({ entry, onSelect }: ItemProps<Turn>) {
  const { call, previous } = entry;
  const event = useEvent(call);
  const before = useEvent(previous);
  const input = figureOf(call, "inputTokens");
  const output = figureOf(call, "outputTokens");
  const cost = figureOf(call, "costUsd");
  const ready = event.span && (previous === null || before.span || before.error);
  return (
    <>
      <ParallelNote parallel={entry.parallel} />
      <Head call={call} kind="llm" name={calleeName(countingRow(call))} onSelect={onSelect}>
        {(input !== null || output !== null) && (
          <span title="Tokens in → out">
            {compact(input)} → {compact(output)}
          </span>
        )}
        {cost !== null && <span>{dollars(cost)}</span>}
        <Took call={call} />
      </Head>
      {event.span && ready ? (
        <Messages span={event.span} before={before.span} entry={entry} />
      ) : (
        <Pending event={event.error ? event : before} lines={4} />
      )}
      {call.row.status === "error" && <ErrorText span={event.span} call={call} />}
    </>
  );
}

function Messages({ span, before, entry }: { span: FullSpan; before: FullSpan | null; entry: Turn }) {
  const own = span.messages;
  const last = before?.messages ?? null;
  const { added, repeated, removed } = useMemo(
    () => newMessages(last, own.input, entry.previous !== null),
    [last, own, entry.previous],
  );
  const names = useMemo(() => toolNames([...own.input, ...own.output]), [own]);
  const incomplete = entry.previous !== null && before === null;
  return (
    <div className={css.messages}>
      {incomplete && <Note>The model call before could not be loaded, so all messages are shown.</Note>}
      {repeated > 0 && <Note>{`Sees ${plural(repeated, "more message")} from above.`}</Note>}
      {removed > 0 && <Note>{`${plural(removed, "earlier message")} left out since the call before.`}</Note>}
      {added.map(({ message, rewritten }, at) => (
        <MessageView
          // biome-ignore lint/suspicious/noArrayIndexKey: messages have no other identity, and never change places
          key={at}
          message={message}
          names={names}
          lines={message.role === "system" ? 4 : 10}
          aside={rewritten ? "rewritten since the call before" : undefined}
        />
      ))}
      <Clipped span={span} keys={["input"]} />
      <Answer own={own} entry={entry} />
      <Clipped span={span} keys={["output"]} />
    </div>
  );
}

function Answer({ own, entry }: { own: SpanMessages; entry: Turn }) {
  const called = entry.tools.map((tool) => calleeName(tool.row));
  const shown = withoutListedCalls(own.output, called);
  const status = entry.call.row.status;
  if (own.output.length === 0) {
    if (status === "running") return <Note>Waiting for the answer.</Note>;
    return status === "ok" ? <Note>No answer was recorded.</Note> : null;
  }
  return (
    <div className={css.answer}>
      {shown.map((message, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages have no other identity, and never change places
        <MessageView key={at} message={message} lines={30} />
      ))}
      {shown.length === 0 && called.length > 0 && <Note>{`Calls ${visibleLine(called.join(", "))}.`}</Note>}
    </div>
  );
}
