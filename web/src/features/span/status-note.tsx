import type { Status } from "@/lib/filter";
import type { FullSpan } from "@/lib/full-span";
import { INFERRED } from "@/lib/inferred";
import { StatusMark } from "@/ui/status";
import css from "./note.module.css";

const NOTES: Partial<Record<Status, string>> = {
  running: "This is still running. Its input is below; its output appears here when it ends.",
  denied: "Refused by a permission, a guardrail, a quota, a person or a controller. Its input is below.",
  cancelled: "Cancelled before it finished. Its input is below; there may be no output, or a part of one.",
  abandoned: "Abandoned: the call around it ended first, or its stream was dropped. Its input is below.",
  lost: "The process ended while this was running, so its outcome is unknown. Its input is below.",
};

const CLOSED_EARLY = "The program closed this stream early. What it received until then is below.";

/** One sentence about the status of a span, unless it simply succeeded or failed. */
export function StatusNote({ span }: { span: FullSpan }) {
  const note = span.attributes["inspector.closed_early"] === true ? CLOSED_EARLY : NOTES[span.status];
  // The input of an inferred span is that of its first call.
  if (!note || span.trace_id === INFERRED) return null;
  return (
    <p className={css.note}>
      <StatusMark status={span.status} />
      <span>{note}</span>
    </p>
  );
}
