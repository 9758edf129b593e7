import { Duplicates } from "./duplicates";
import { EnvelopeOverview } from "./envelope-overview";
import { FailureBox } from "./failure-box";
import { Identity } from "./identity";
import { Controller } from "./middleware";
import { ModelOverview } from "./model-overview";
import { OtherOverview } from "./other-overview";
import type { OverviewProps } from "./overview-props";
import { RunOverview } from "./run-overview";
import { StatusNote } from "./status-note";
import { ToolOverview } from "./tool-overview";

/** The overview for the kind of a span. */
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
