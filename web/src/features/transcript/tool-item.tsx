import clsx from "clsx";
import { ChevronRight } from "lucide-react";
import { useId, useMemo } from "react";
import { calleeKind, calleeName } from "@/lib/calls";
import type { FullSpan } from "@/lib/full-span";
import { isContainer, sizeOf } from "@/lib/json";
import { visibleLine } from "@/lib/visible";
import { EditText } from "@/ui/edit-text";
import { JsonView } from "@/ui/json-view";
import { LongText } from "@/ui/message-text";
import type { ToolCall } from "./entries";
import type { ItemProps } from "./item-props";
import { Clipped, ErrorText, Head, ParallelNote, Pending, Took } from "./parts";
import css from "./tool-item.module.css";
import { onOneLine, resultLine, toolResult } from "./tool-result";
import { useEvent } from "./use-event";

/** A tool call as a card of a few lines, which can be expanded. */
export function ToolItem({ entry, open, onToggle, onSelect }: ItemProps<ToolCall>) {
  const { call } = entry;
  const event = useEvent(call);
  const { span } = event;
  const id = useId();
  const name = calleeName(call.row);
  return (
    <>
      <ParallelNote parallel={entry.parallel} />
      <div className={clsx(css.card, call.row.status === "error" && css.failed)}>
        <div className={css.line}>
          <button
            type="button"
            className={css.toggle}
            aria-expanded={open}
            aria-controls={open ? id : undefined}
            aria-label={`Arguments and result of ${visibleLine(name)}`}
            onClick={() => onToggle(entry.id)}
          >
            <ChevronRight size={14} aria-hidden className={clsx(open && css.turned)} />
          </button>
          <div className={css.what}>
            <Head call={call} kind={calleeKind(call.row)} name={name} onSelect={onSelect}>
              <Took call={call} />
            </Head>
            {span ? <Summary span={span} open={open} call={entry} /> : <Pending event={event} lines={1} />}
          </div>
        </div>
        {open && (
          <div id={id} className={css.whole}>
            {span ? <Whole span={span} name={name} /> : <Pending event={event} lines={3} />}
          </div>
        )}
      </div>
    </>
  );
}

function Summary({ span, open, call: { call } }: { span: FullSpan; open: boolean; call: ToolCall }) {
  const failed = call.row.status === "error" || span.error !== null;
  const result = useMemo(() => resultLine(span), [span]);
  if (open) return failed ? <ErrorText span={span} call={call} /> : null;
  const args = isEmpty(span.input) ? "" : onOneLine(span.input);
  return (
    <dl className={css.summary}>
      <dt>arguments</dt>
      <dd className="cut">
        <OneLine text={args} clipped={Object.hasOwn(span.clipped, "input")} otherwise="nothing" />
      </dd>
      {!failed && (
        <>
          <dt>result</dt>
          <dd className="cut">
            <OneLine
              text={result}
              clipped={Object.hasOwn(span.clipped, "output")}
              otherwise={span.status === "running" ? "not yet" : "nothing"}
            />
          </dd>
        </>
      )}
      {failed && (
        <dd className={css.error}>
          <ErrorText span={span} call={call} />
        </dd>
      )}
    </dl>
  );
}

function OneLine({ text, clipped, otherwise }: { text: string; clipped: boolean; otherwise: string }) {
  if (text === "") return <span className={css.nothing}>{clipped ? "a long value" : otherwise}</span>;
  return <bdi className={css.value}>{visibleLine(text)}</bdi>;
}

function Whole({ span, name }: { span: FullSpan; name: string }) {
  const label = name.slice(0, 60);
  const result = useMemo(() => toolResult(span), [span]);
  return (
    <>
      <p className={css.title}>Arguments</p>
      {isEmpty(span.input) ? (
        <p className={css.nothing}>nothing</p>
      ) : (
        <JsonView value={span.input} label={`arguments of ${label}`} lines={30} side="args" />
      )}
      <EditText args={span.input} />
      <Clipped span={span} keys={["input"]} />
      <p className={css.title}>Result</p>
      {isEmpty(result) ? (
        <p className={css.nothing}>nothing</p>
      ) : typeof result === "string" ? (
        <LongText text={result} lines={20} mono={result.includes("\n")} />
      ) : (
        <JsonView value={result} label={`result of ${label}`} lines={30} />
      )}
      <Clipped span={span} keys={["output"]} />
    </>
  );
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === "" || (isContainer(value) && sizeOf(value) === 0);
}
