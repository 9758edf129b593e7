import { useMemo } from "react";
import { plural } from "@/lib/format";
import { attribute, attributeText, type FullSpan } from "@/lib/full-span";
import { isContainer, parsedText, preview, scalarText } from "@/lib/json";
import { type OfferedTool as Tool, toolNames } from "@/lib/messages";
import { visibleLine } from "@/lib/visible";
import { Disclosure } from "@/ui/disclosure";
import { JsonView } from "@/ui/json-view";
import { MessageView } from "@/ui/message";
import { LongText } from "@/ui/message-text";
import { Recorded } from "@/ui/recorded";
import { contextAround } from "./context";
import { ContextChart } from "./context-chart";
import { Middleware } from "./middleware";
import { ModelInput } from "./model-input";
import css from "./model-overview.module.css";
import type { OverviewProps } from "./overview-props";
import { Chip, Chips, Nothing, Section } from "./section";
import { KEY, REQUEST_PREFIX } from "./semconv";
import { UsageTable } from "./usage-table";

const SIDES = { args: "request", result: "answer" };

/** A model call: the model, what changed since the previous call, the answer, and the cost. */
export function ModelOverview({ span, rows }: OverviewProps) {
  const { input, output } = span.messages;
  const names = useMemo(() => toolNames([...input, ...output]), [input, output]);
  const context = useMemo(() => contextAround(rows, span.span_id), [rows, span.span_id]);
  return (
    <>
      <div className={css.top}>
        <Parameters span={span} />
      </div>
      <ModelInput span={span} rows={rows} input={input} names={names} />
      <Section title={output.length > 1 ? `${output.length} answers` : "Answer"}>
        <div className={css.answer}>
          {output.map((message, at) => (
            <MessageView
              // biome-ignore lint/suspicious/noArrayIndexKey: answers have no other identity
              key={at}
              message={message}
              names={names}
              lines={60}
              aside={message.finish_reason && <Recorded text={message.finish_reason} />}
            />
          ))}
          {output.length === 0 && <Nothing>{whyNoAnswer(span)}</Nothing>}
        </div>
      </Section>
      <Section title="Tokens and cost" aside={span.folded_into !== null && "a duplicate: counted at another span"}>
        <UsageTable span={span} />
      </Section>
      {context.length > 1 && (
        <Section title="Context by turn">
          <ContextChart turns={context} selected={span.span_id} />
        </Section>
      )}
      <Middleware span={span} sides={SIDES} />
      <Offered tools={span.messages.tools} />
    </>
  );
}

function whyNoAnswer(span: FullSpan): string {
  if (span.clipped.output !== undefined) return "It is long and not loaded yet.";
  return span.status === "running" ? "None yet." : "No answer was recorded.";
}

/** Attributes that are shown elsewhere. */
const SHOWN_ELSEWHERE = new Set<string>([KEY.requestModel]);

function Parameters({ span }: { span: FullSpan }) {
  const requested = attributeText(span, KEY.requestModel) ?? span.model;
  const answered = attributeText(span, KEY.responseModel);
  const provider = attributeText(span, KEY.provider);
  const given = Object.keys(span.attributes)
    .filter((key) => key.startsWith(REQUEST_PREFIX) && !SHOWN_ELSEWHERE.has(key))
    .sort();
  return (
    <Chips>
      {requested !== null && (
        <Chip label="model">
          <Recorded text={requested} />
          {answered !== null && answered !== requested && (
            <>
              <span className={css.dim}>answered as</span>
              <Recorded text={answered} />
            </>
          )}
        </Chip>
      )}
      {provider !== null && (
        <Chip label="provider">
          <Recorded text={provider} />
        </Chip>
      )}
      {attributeText(span, KEY.serverAddress) !== null && (
        <Chip label="endpoint">
          <Recorded text={attributeText(span, KEY.serverAddress) ?? ""} />
        </Chip>
      )}
      {finishReason(span) !== null && (
        <Chip label="finished by">
          <Recorded text={finishReason(span) ?? ""} />
        </Chip>
      )}
      {given.slice(0, 24).map((key) => (
        <Chip key={key} label={visibleLine(key.slice(REQUEST_PREFIX.length)).replaceAll("_", " ").slice(0, 60)}>
          <Recorded text={valueText(span.attributes[key])} />
        </Chip>
      ))}
    </Chips>
  );
}

function finishReason(span: FullSpan): string | null {
  const recorded = attribute(span, KEY.finishReasons);
  const reasons = typeof recorded === "string" ? (parsedText(recorded) ?? [recorded]) : recorded;
  const texts = Array.isArray(reasons) ? reasons.filter((each) => typeof each === "string") : [];
  return texts.length ? texts.join(", ") : attributeText(span, "mcp.stop_reason");
}

function valueText(value: unknown): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") return value.slice(0, 200);
  return isContainer(value) ? preview(value, 120) : scalarText(value);
}

/** The tools that were offered to the model. */
function Offered({ tools }: { tools: readonly Tool[] }) {
  if (tools.length === 0) return null;
  return (
    <Section title={`${plural(tools.length, "tool")} offered`}>
      <ul>
        {tools.slice(0, 300).map((tool, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two tools can have the same name
          <li key={at}>
            <OfferedTool tool={tool} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function OfferedTool({ tool }: { tool: Tool }) {
  return (
    <Disclosure
      summary={
        <>
          <Recorded text={tool.name} className={css.tool} />
          {tool.description !== null && <span className={css.dim}>{visibleLine(tool.description.slice(0, 300))}</span>}
        </>
      }
    >
      {() => (
        <div className={css.definition}>
          {tool.description !== null && <LongText text={tool.description} lines={12} />}
          {tool.schema != null && <JsonView value={tool.schema} label="schema" />}
        </div>
      )}
    </Disclosure>
  );
}
