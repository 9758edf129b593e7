import { Link } from "@tanstack/react-router";
import { isServed } from "@/api/client";
import { duration, moment } from "@/lib/format";
import { attributeText, type FullSpan } from "@/lib/full-span";
import { INFERRED } from "@/lib/inferred";
import { unixMs } from "@/lib/time";
import { Recorded } from "@/ui/recorded";
import type { OverviewProps } from "./overview-props";
import { Fact, Facts, Section, TextFact } from "./section";
import { KEY } from "./semconv";

/** The times of a span, and all ids by which it can be found. */
export function Identity({ span, place }: OverviewProps) {
  // The server does not know its id.
  const isInferred = span.trace_id === INFERRED;
  const start = unixMs(span.start_time_unix_nano);
  const end = span.end_time_unix_nano === null ? null : unixMs(span.end_time_unix_nano);
  return (
    <Section title={isInferred ? "Time" : "Time and identity"}>
      <Facts>
        <Fact label="Start">{moment(start)}</Fact>
        <Fact label="End">{end === null ? null : moment(end)}</Fact>
        <Fact label="Duration">{durationText(span)}</Fact>
        <Fact label="In the run">{place.row && `${duration(place.row.startMs)} after its start`}</Fact>
        {!isInferred && (
          <>
            <TextFact label="Span" text={span.span_id} mono />
            <TextFact label="Parent" text={span.parent_id} mono />
            <TextFact label="Trace" text={span.trace_id} mono />
          </>
        )}
        {span.session_id !== null && (
          <Fact label="Session">
            <SessionName id={span.session_id} />
          </Fact>
        )}
        <TextFact label="Call" text={attributeText(span, KEY.callId)} mono />
        <TextFact label="Service" text={span.service} />
        <TextFact label="Dialect" text={isInferred ? null : span.dialect} />
        <TextFact label="Recorded by" text={scope(span)} />
        <Fact label="Process">{process(span)}</Fact>
      </Facts>
    </Section>
  );
}

function SessionName({ id }: { id: string }) {
  if (!isServed()) return <Recorded text={id} />;
  return (
    <Link to="/" search={{ session_id: id }}>
      <Recorded text={id} />
    </Link>
  );
}

function durationText(span: FullSpan): string | null {
  if (span.duration_ms === null) return null;
  if (span.duration_ms < 0) return `${duration(span.duration_ms)} (the clocks of two machines disagree)`;
  return duration(span.duration_ms);
}

/** The library that made the span: OpenTelemetry's instrumentation scope. */
function scope(span: FullSpan): string | null {
  const name = attributeText(span, KEY.scopeName);
  const version = attributeText(span, KEY.scopeVersion);
  return name && [name, version].filter(Boolean).join(" ");
}

function process(span: FullSpan) {
  const pid = attributeText(span, "process.pid");
  const host = attributeText(span, "host.name");
  if (pid === null && host === null) return null;
  return <Recorded text={[pid, host && `on ${host}`].filter(Boolean).join(" ")} />;
}
