import { useMemo } from "react";
import { readValue } from "@/lib/json";
import type { Side } from "@/lib/same-value";
import { CodeBlock } from "@/ui/code-block";
import { JsonView } from "@/ui/json-view";
import { Nothing } from "./section";

interface Props {
  value: unknown;
  /** A name for the value, as in "Copy …". */
  label: string;
  /** Shown if there is no value. */
  nothing: string;
  /** Whether it was too long to be loaded with the span. */
  clipped: boolean;
  lines?: number;
  /** Whether a text is probably meant for people rather than for a parser. */
  prose?: boolean;
  /** The side of a call that it belongs to. */
  side?: Side;
}

/** A recorded value: JSON as a tree, text as text. */
export function RecordedValue(props: Props) {
  const { value, label, nothing, clipped, lines = 60, prose = false, side } = props;
  const held = useMemo(() => readValue(value), [value]);
  if (clipped) return <Nothing>It is long and not loaded yet.</Nothing>;
  if (held === null || held === undefined) return <Nothing>{nothing}</Nothing>;
  if (typeof held === "string" && !/^\s*[[{]/.test(held)) {
    return held === "" ? <Nothing>An empty text.</Nothing> : <CodeBlock text={held} label={label} mono={!prose} />;
  }
  return <JsonView value={held} label={label} lines={lines} side={side} />;
}
