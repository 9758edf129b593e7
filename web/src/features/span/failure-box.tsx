import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { CircleAlert } from "lucide-react";
import { useMemo, useState } from "react";
import { isServed } from "@/api/client";
import { topEventsQuery } from "@/api/queries";
import { calleeName } from "@/lib/calls";
import { plural } from "@/lib/format";
import type { FullSpan } from "@/lib/full-span";
import type { SpanRow } from "@/lib/spans";
import { visible } from "@/lib/visible";
import { CodeBlock } from "@/ui/code-block";
import { LongText } from "@/ui/message-text";
import { Recorded } from "@/ui/recorded";
import { SpanLink } from "@/ui/span-link";
import { causeOf, type Messages, needsMessages } from "./cause";
import css from "./failure-box.module.css";
import { Section } from "./section";
import { readTraceback, type TracebackPart } from "./traceback";

/** Why a span failed: type and message, the span below in which the failure began, and for most kinds the traceback. */
export function FailureBox({ span, rows }: { span: FullSpan; rows: readonly SpanRow[] }) {
  const { error } = span;
  const { messages, known } = useMessages(span, rows);
  const origin = useMemo(() => causeOf(rows, span.span_id, messages), [rows, span.span_id, messages]);
  if (!error) return null;
  const isClipped = ["error.message", "error.traceback"].some((name) => Object.hasOwn(span.clipped, name));
  return (
    <section className={css.box} aria-label="Error">
      <h3 className={css.type}>
        <CircleAlert size={14} aria-hidden />
        <Recorded text={error.type ?? "error"} />
      </h3>
      {error.message !== null && (
        <LongText text={error.message} lines={12} mono={error.message.includes("\n")} className={css.message} />
      )}
      {origin && (
        <p className={clsx(css.origin, !known && css.unknown)}>
          It began in{" "}
          <SpanLink traceId={origin.traceId} spanId={origin.id}>
            <Recorded text={calleeName(origin)} />
          </SpanLink>
          {origin.errorType !== null && origin.errorType !== error.type && (
            <>
              {" "}
              as <Recorded text={origin.errorType} />
            </>
          )}
        </p>
      )}
      {error.traceback !== null && span.kind !== "tool" && <TracebackText text={error.traceback} />}
      {error.traceback === null && error.message === null && (
        <p className={css.origin}>
          {isClipped ? "The rest is long and not loaded yet." : "Neither a message nor a traceback was recorded."}
        </p>
      )}
    </section>
  );
}

/** The failures of a trace that are asked for; of more, the cause is the first one below. */
const MOST_FAILURES = 200;

/** The messages of the failures of a span's trace, loaded if it takes them to tell in which call its own began. */
function useMessages(span: FullSpan, rows: readonly SpanRow[]): { messages: Messages; known: boolean } {
  const needed = useMemo(() => needsMessages(rows, span.span_id), [rows, span.span_id]);
  const filter = { trace_id: span.trace_id, status: ["error" as const, "lost" as const] };
  const enabled = span.error !== null && needed && isServed();
  const { data, isLoading } = useQuery({ ...topEventsQuery({ filter, order: "asc" }, MOST_FAILURES), enabled });
  const messages = useMemo(() => {
    const known = new Map(data?.items.map(({ span_id, error }) => [span_id, error?.message ?? null]));
    return known.set(span.span_id, span.error?.message ?? null);
  }, [data, span]);
  return { messages, known: !isLoading };
}

/** Where a tool raised. It is below the arguments, so it does not push them off the screen. */
export function Raised({ span }: { span: FullSpan }) {
  const { error } = span;
  if (error === null || error.traceback === null) return null;
  return (
    <Section title="Raised in">
      <TracebackText text={error.traceback} />
    </Section>
  );
}

const MOST = 50_000;

function TracebackText({ text }: { text: string }) {
  const parts = useMemo(() => (text.length <= MOST ? readTraceback(text.trimEnd()) : null), [text]);
  if (!parts) return <CodeBlock text={text} label="traceback" />;
  return (
    <CodeBlock text={text} label="traceback">
      <div className={css.traceback} dir="ltr">
        {parts.map((part, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other identity, and never change places
          <Part key={at} part={part} last={at === parts.length - 1} />
        ))}
      </div>
    </CodeBlock>
  );
}

/** Frames that matter less are folded; the error itself is at the end. */
function Part({ part, last }: { part: TracebackPart; last: boolean }) {
  const [open, setOpen] = useState(false);
  if (part.look === "raised") return <strong className={css.frame}>{visible(part.text)}</strong>;
  if (part.folded === null || open) return <span className={clsx(!last && css.faint)}>{visible(part.text)}</span>;
  return (
    <button type="button" className={css.fold} onClick={() => setOpen(true)}>
      Show {plural(part.frames, part.folded === "libraries" ? "frame" : "more frame")}
      {part.folded === "libraries" && " of libraries"}
    </button>
  );
}
