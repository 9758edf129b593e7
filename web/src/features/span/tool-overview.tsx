import { MessageSquareText } from "lucide-react";
import { useMemo } from "react";
import { asksFor, conversationOf } from "@/lib/conversation";
import { attribute, attributeText, type FullSpan } from "@/lib/full-span";
import { readToolResult } from "@/lib/mcp-result";
import { previousModelCall } from "@/lib/previous-call";
import type { Around } from "@/lib/related";
import { KEY } from "@/lib/semconv";
import type { SpanRow } from "@/lib/spans";
import { readTools, type ToolDefinition } from "@/lib/tool-definitions";
import { Disclosure } from "@/ui/disclosure";
import { JsonView } from "@/ui/json-view";
import { PartsView } from "@/ui/message";
import { LongText } from "@/ui/message-text";
import { Recorded } from "@/ui/recorded";
import { Raised } from "./failure-box";
import { Middleware } from "./middleware";
import type { OverviewProps } from "./overview";
import { RecordedValue } from "./recorded-value";
import { Fact, Facts, Section, TextFact } from "./section";
import { SpanLink } from "./span-link";
import css from "./tool-overview.module.css";
import { useOtherSpan } from "./use-span";

const SIDES = { args: "arguments", result: "result" };

/** A tool call: what it was given, what came back, and which model call asked for it. */
export function ToolOverview({ span, place, rows }: OverviewProps) {
  const asking = useAskingCall(span, place, rows);
  return (
    <>
      <Section
        title="Arguments"
        aside={
          asking.row && (
            <SpanLink traceId={asking.row.traceId} spanId={asking.row.id} className={css.saw}>
              <MessageSquareText size={13} aria-hidden />
              What the model saw before this call
            </SpanLink>
          )
        }
      >
        <RecordedValue
          value={span.input}
          label="arguments"
          side="args"
          nothing="No arguments were recorded."
          clipped={span.clipped.input !== undefined}
        />
      </Section>
      <Raised span={span} />
      {(span.output !== null || span.clipped.output !== undefined || span.status === "ok") && (
        <Section title={span.status === "error" ? "Result of the failed call" : "Result"}>
          <Result span={span} />
        </Section>
      )}
      <Middleware span={span} sides={SIDES} />
      <Section title="The call">
        <Facts>
          {asking.row && (
            <Fact label={asking.asks ? "Asked for by" : "Model call before"}>
              <SpanLink traceId={asking.row.traceId} spanId={asking.row.id}>
                <Recorded text={asking.row.name} />
              </SpanLink>
            </Fact>
          )}
          <TextFact label="Tool" text={span.tool} />
          <TextFact label="Server" text={attributeText(span, KEY.toolServer)} />
          <TextFact label="Source" text={attributeText(span, KEY.toolSource, KEY.toolType)} />
          <TextFact label="Outcome" text={attributeText(span, KEY.toolOutcome)} />
          <TextFact label="Call id" text={attributeText(span, KEY.toolCallId)} mono />
          <TextFact label="Correlation" text={attributeText(span, KEY.correlationId)} mono />
          <TextFact label="Method" text={attributeText(span, KEY.mcpMethod)} mono />
        </Facts>
      </Section>
      {asking.tool && <Definition tool={asking.tool} />}
    </>
  );
}

/** What came back; of a result in the form of MCP first what the model read. */
function Result({ span }: { span: FullSpan }) {
  const result = useMemo(() => readToolResult(span.output), [span.output]);
  if (!result || result.content.length === 0) {
    return (
      <RecordedValue
        value={span.output}
        label="result"
        side="result"
        nothing={span.status === "running" ? "There is none yet." : "No result was recorded."}
        clipped={span.clipped.output !== undefined}
      />
    );
  }
  return (
    <div className={css.result}>
      <PartsView parts={result.content} />
      {result.structured !== undefined && (
        <Disclosure summary="structured result">
          <JsonView value={result.structured} label="structured result" />
        </Disclosure>
      )}
      <Disclosure summary="whole result">
        <JsonView value={span.output} label="whole result" side="result" />
      </Disclosure>
    </div>
  );
}

function Definition({ tool }: { tool: ToolDefinition }) {
  return (
    <Section title="As it was offered to the model">
      {tool.description !== null && <LongText text={tool.description} lines={8} />}
      {tool.schema !== null && (
        <Disclosure summary="schema of its arguments">
          <JsonView value={tool.schema} label="schema" />
        </Disclosure>
      )}
    </Section>
  );
}

interface AskingCall {
  row: SpanRow | null;
  /** Whether its answer names this very call. */
  asks: boolean;
  tool: ToolDefinition | null;
}

/** The model call before a tool call by the same agent, and what it knew of the tool. */
function useAskingCall(span: FullSpan, place: Around, rows: readonly SpanRow[]): AskingCall {
  const row = useMemo(() => previousModelCall(rows, place.row?.id ?? ""), [rows, place.row?.id]);
  const other = useOtherSpan(row?.traceId ?? "", row?.id ?? null).span;
  return useMemo(() => {
    if (!other) return { row, asks: false, tool: null };
    const callId = attributeText(span, KEY.toolCallId);
    const asks = place.row?.inferred != null || (callId !== null && asksFor(conversationOf(other).answered, callId));
    const tool = readTools(attribute(other, KEY.toolDefinitions)).find(({ name }) => name === span.tool);
    return { row, asks, tool: tool ?? null };
  }, [row, other, span, place.row]);
}
