import { CircleAlert } from "lucide-react";
import type { ReactNode } from "react";
import type { Call } from "@/lib/calls";
import { bytes, duration } from "@/lib/format";
import type { FullSpan } from "@/lib/full-span";
import { Button } from "@/ui/button";
import { InferredMark } from "@/ui/inferred-mark";
import { KindIcon } from "@/ui/kind";
import { LongText } from "@/ui/message-text";
import { Recorded } from "@/ui/recorded";
import { StatusMark } from "@/ui/status";
import type { Parallel } from "./entries";
import css from "./parts.module.css";
import type { LoadedEvent } from "./use-event";

interface HeadProps {
  call: Call;
  kind: Call["row"]["kind"];
  name: string;
  onSelect: (call: Call) => void;
  /** Figures at the end of the line. */
  children?: ReactNode;
}

/** The first line of an item; a click on the name selects the span. */
export function Head({ call, kind, name, onSelect, children }: HeadProps) {
  return (
    <div className={css.head}>
      <button type="button" className={css.name} onClick={() => onSelect(call)}>
        <KindIcon kind={kind} />
        <Recorded text={name || "(no name)"} className={css.recorded} />
      </button>
      {call.row.inferred && <InferredMark />}
      {call.row.status !== "ok" && <StatusMark status={call.row.status} label />}
      <span className={css.figures}>{children}</span>
    </div>
  );
}

/** The duration of a call. */
export function Took({ call }: { call: Call }) {
  const { status, durationMs, startMs } = call.row;
  const text = durationMs === null ? (status === "running" ? "" : "–") : duration(durationMs);
  return (
    <span className={css.took} title={`began ${duration(startMs)} after the start of the run`}>
      {text}
    </span>
  );
}

/** Why a call failed. */
export function ErrorText({ span, call }: { span: FullSpan | null; call: Call }) {
  const type = span?.error?.type ?? call.row.errorType;
  const message = span?.error?.message;
  return (
    <div className={css.error}>
      <span className={css.errorHead}>
        <CircleAlert size={14} aria-hidden />
        <Recorded text={type ?? "failed"} />
      </span>
      {message && <LongText text={message} lines={8} mono={message.includes("\n")} />}
    </div>
  );
}

/** Replaces the content of an item that is loading or failed to load. */
export function Pending({ event, lines }: { event: LoadedEvent; lines: number }) {
  if (event.error) {
    return (
      <p className={css.failed}>
        {event.error.message} <Button onClick={event.retry}>Try again</Button>
      </p>
    );
  }
  return (
    <div className={css.pending} data-pending aria-hidden>
      {[...Array(lines).keys()].map((line) => (
        <span key={line} style={{ width: `${72 - line * 17}%` }} />
      ))}
    </div>
  );
}

/** Says which values are too long to be shown here. */
export function Clipped({ span, keys }: { span: FullSpan; keys: readonly string[] }) {
  const long = keys.filter((key) => Object.hasOwn(span.clipped, key));
  if (long.length === 0) return null;
  const size = long.reduce((sum, key) => sum + (span.clipped[key] ?? 0), 0);
  return <p className={css.note}>{bytes(size)} not shown here; open this span's detail to load them.</p>;
}

/** Says once that the calls from here on ran at the same time. */
export function ParallelNote({ parallel }: { parallel: Parallel | null }) {
  if (parallel?.at !== 1) return null;
  return <p className={css.parallel}>{parallel.of} in parallel</p>;
}

/** A dim line. */
export function Note({ children }: { children: ReactNode }) {
  return <p className={css.note}>{children}</p>;
}
