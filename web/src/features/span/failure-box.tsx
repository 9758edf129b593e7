import { CircleAlert } from "lucide-react";
import { useMemo, useState } from "react";
import { count, plural } from "@/lib/format";
import type { FullSpan } from "@/lib/full-span";
import { deepestFailure } from "@/lib/related";
import type { SpanRow } from "@/lib/spans";
import { readTraceback } from "@/lib/traceback";
import { visible } from "@/lib/visible";
import { CodeBlock } from "@/ui/code-block";
import { LongText } from "@/ui/message-text";
import { Recorded } from "@/ui/recorded";
import css from "./failure-box.module.css";
import { Section } from "./section";
import { SpanLink } from "./span-link";

/** Why a span failed: type and message, where below it the failure began, and of most kinds the traceback. */
export function FailureBox({ span, rows }: { span: FullSpan; rows: readonly SpanRow[] }) {
  const { error } = span;
  const origin = useMemo(() => deepestFailure(rows, span.span_id), [rows, span.span_id]);
  if (!error) return null;
  const isClipped = ["error.message", "error.traceback"].some((name) => Object.hasOwn(span.clipped, name));
  return (
    <section className={css.box} aria-label="Error">
      <h3 className={css.type}>
        <CircleAlert size={14} aria-hidden />
        <Recorded text={error.type ?? "error"} />
      </h3>
      {error.message !== null && <LongText text={error.message} lines={12} className={css.message} />}
      {origin && (
        <p className={css.origin}>
          It began in{" "}
          <SpanLink traceId={origin.traceId} spanId={origin.id}>
            <Recorded text={origin.name} />
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

/** Where a tool raised, below the arguments that it was given: it pushes nothing off the screen. */
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
  const parts = useMemo(() => (text.length <= MOST ? readTraceback(text) : null), [text]);
  if (!parts) return <CodeBlock text={text} label="traceback" />;
  return (
    <CodeBlock text={text} label="traceback">
      <div className={css.traceback} dir="ltr">
        <Before text={parts.before} />
        <strong className={css.frame}>{visible(parts.last)}</strong>
        <Inner text={parts.inner} />
        <span>{visible(parts.after.trimEnd())}</span>
      </div>
    </CodeBlock>
  );
}

/** What a library did from there: seldom read. */
function Inner({ text }: { text: string }) {
  const [shown, setShown] = useState(false);
  if (text === "") return null;
  if (shown) return <span className={css.faint}>{visible(text)}</span>;
  return (
    <button type="button" className={css.fold} onClick={() => setShown(true)}>
      Show {plural(text.split('File "').length - 1, "frame")} of libraries
    </button>
  );
}

// Frames right before the last one are read; those of a framework further up seldom.
const LINES_BEFORE = 8;

function Before({ text }: { text: string }) {
  const [whole, setWhole] = useState(false);
  const lines = text.split("\n");
  const folded = lines.length - 2 - LINES_BEFORE;
  if (whole || folded < LINES_BEFORE) return <span className={css.faint}>{visible(text)}</span>;
  return (
    <>
      <span className={css.faint}>{visible(lines[0] ?? "")}</span>
      <button type="button" className={css.fold} onClick={() => setWhole(true)}>
        Show {count(folded)} lines in between
      </button>
      <span className={css.faint}>{visible(lines.slice(1 + folded).join("\n"))}</span>
    </>
  );
}
