import type { FullSpan } from "@/lib/full-span";
import type { SpanRow } from "@/lib/spans";
import { Duplicates } from "./duplicates";
import { EnvelopeOverview } from "./envelope-overview";
import { FailureBox } from "./failure-box";
import { Identity } from "./identity";
import { Controller } from "./middleware";
import { ModelOverview } from "./model-overview";
import { OtherOverview } from "./other-overview";
import type { Around } from "./related";
import { RunOverview } from "./run-overview";
import { StatusNote } from "./status-note";
import { ToolOverview } from "./tool-overview";

/** What the overview of each kind is made from. */
export interface OverviewProps {
  span: FullSpan;
  place: Around;
  rows: readonly SpanRow[];
}

/** The side of a span that is told by what it stands for. */
export function Overview(props: OverviewProps) {
  return (
    <>
      <StatusNote span={props.span} />
      <FailureBox span={props.span} rows={props.rows} />
      <Controller span={props.span} />
      <Duplicates {...props} />
      <ByKind {...props} />
      <Identity {...props} />
    </>
  );
}

function ByKind(props: OverviewProps) {
  switch (props.span.kind) {
    case "llm":
      return <ModelOverview {...props} />;
    case "tool":
      return <ToolOverview {...props} />;
    case "rpc":
    case "resource":
    case "prompt":
      return <EnvelopeOverview {...props} />;
    case "workflow":
    case "agent":
      return <RunOverview {...props} />;
    case "other":
      return <OtherOverview {...props} />;
  }
}
