import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { MessageSquareText } from "lucide-react";
import { useMemo } from "react";
import { isServed } from "@/api/client";
import { type Declared, declaredToolQuery } from "@/api/queries";
import { calleeName } from "@/lib/calls";
import { attributeText, type FullSpan } from "@/lib/full-span";
import { isObject, readValue } from "@/lib/json";
import { asksFor, type OfferedTool, onlyTextOf, textOf } from "@/lib/messages";
import { previousModelCall } from "@/lib/previous-call";
import type { SpanRow } from "@/lib/spans";
import { Disclosure } from "@/ui/disclosure";
import { EditText } from "@/ui/edit-text";
import { JsonView } from "@/ui/json-view";
import { PartsView } from "@/ui/message";
import { LongText } from "@/ui/message-text";
import { Recorded } from "@/ui/recorded";
import { SpanLink } from "@/ui/span-link";
import { ArgumentSources } from "./argument-sources";
import { Raised } from "./failure-box";
import { Middleware } from "./middleware";
import type { OverviewProps } from "./overview-props";
import { RecordedValue } from "./recorded-value";
import { type Parameter, parametersOf, type Refused, refusedIn } from "./refused";
import type { Around } from "./related";
import { Fact, Facts, Section, TextFact } from "./section";
import { KEY } from "./semconv";
import css from "./tool-overview.module.css";
import { useOtherSpan } from "./use-span";

const SIDES = { args: "arguments", result: "result" };

/** A tool call: its input, its result, and the model call that asked for it. */
export function ToolOverview({ span, place, rows }: OverviewProps) {
  const asking = useAskingCall(span, place, rows);
  const failed = span.status === "error";
  // For a tool that failed without having been offered to a model here, as in a test of the server.
  const elsewhere = useQuery({
    ...declaredToolQuery(span.tool ?? ""),
    enabled: failed && !asking.tool && isServed(),
  }).data;
  const tool = asking.tool ?? elsewhere?.tool ?? null;
  const args = useMemo(() => readValue(span.input), [span.input]);
  const refused = useMemo(() => (failed ? refusedOf(span, tool) : []), [failed, span, tool]);
  const sources = asking.call && <ArgumentSources traceId={span.trace_id} args={args} call={asking.call} />;
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
        <EditText args={args} />
      </Section>
      <Raised span={span} />
      <RefusedArguments refused={refused} tool={tool} />
      {failed && sources}
      {(span.output !== null || span.clipped.output !== undefined || span.status === "ok") && (
        <Section title={span.status === "error" ? "Result of the failed call" : "Result"}>
          <Result span={span} />
        </Section>
      )}
      {!failed && sources}
      <Middleware span={span} sides={SIDES} />
      <Section title="The call">
        <Facts>
          {asking.row && (
            <Fact label={asking.asks ? "Asked for by" : "Model call before"}>
              <SpanLink traceId={asking.row.traceId} spanId={asking.row.id}>
                <Recorded text={calleeName(asking.row)} />
              </SpanLink>
            </Fact>
          )}
          <TextFact label="Tool" text={span.tool} />
          <TextFact label="Server" text={attributeText(span, KEY.toolServer)} />
          <TextFact label="Source" text={attributeText(span, KEY.toolSource, KEY.toolType)} />
          <TextFact label="Outcome" text={attributeText(span, KEY.toolOutcome)} />
          <TextFact label="Call id" text={attributeText(span, KEY.toolCallId)} mono />
          <TextFact label="Correlation" text={attributeText(span, KEY.correlationId)} mono />
          <TextFact label="Function" text={attributeText(span, KEY.functionName)} mono />
          <TextFact label="Method" text={attributeText(span, KEY.mcpMethod)} mono />
        </Facts>
      </Section>
      {tool && <Definition tool={tool} elsewhere={asking.tool ? null : elsewhere} refused={refused} />}
    </>
  );
}

/** The result; of one in MCP's format, the text that the model read comes first. */
function Result({ span }: { span: FullSpan }) {
  const parts = span.messages.output.flatMap((message) => message.parts);
  const content = parts.filter(({ type }) => type !== "structured");
  const structured = parts.flatMap((part) => (part.type === "structured" ? [part.content] : []));
  const repeats = isError(span);
  if (content.length === 0) {
    if (repeats) return <p className={css.dim}>The text of the error above.</p>;
    return (
      <RecordedValue
        value={span.output}
        label="result"
        side="result"
        nothing={span.status === "running" ? "None yet." : "No result was recorded."}
        clipped={span.clipped.output !== undefined}
      />
    );
  }
  return (
    <div className={css.result}>
      {repeats ? <p className={css.dim}>The text of the error above.</p> : <PartsView parts={content} />}
      {structured.length > 0 && (
        <Disclosure summary="structured result">
          <JsonView value={structured[0]} label="structured result" />
        </Disclosure>
      )}
      <Disclosure summary="whole result">
        <JsonView value={span.output} label="whole result" side="result" />
      </Disclosure>
    </div>
  );
}

/** Whether the result of a failed call says only what its error says. */
function isError({ error, output, messages }: FullSpan): boolean {
  const said = onlyTextOf(messages.output) ?? output;
  return typeof said === "string" && said.trim() === error?.message?.trim();
}

/** The names that an error can refuse: the declared parameters and the given arguments. */
function refusedOf(span: FullSpan, tool: OfferedTool | null): Refused[] {
  const given = isObject(span.input) ? Object.keys(span.input) : [];
  const names = new Set([...parametersOf(tool?.schema).map(({ name }) => name), ...given]);
  const said = [span.error?.message, typeof span.output === "string" ? span.output : null];
  const texts = span.messages.output.map(textOf);
  return refusedIn([...said, ...texts].filter(Boolean).join("\n"), names);
}

/** The refused arguments, each with its declaration. */
function RefusedArguments({ refused, tool }: { refused: Refused[]; tool: OfferedTool | null }) {
  if (refused.length === 0) return null;
  const declared = parametersOf(tool?.schema);
  return (
    <Section title={refused.length === 1 ? "Refused argument" : "Refused arguments"}>
      <ul className={css.refused}>
        {refused.map(({ name, reason }) => (
          <li key={name}>
            <Recorded text={name} className={css.bad} /> {reason !== null && <Recorded text={reason} />}
            <DeclaredAs parameter={declared.find((each) => each.name === name) ?? null} known={tool !== null} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function DeclaredAs({ parameter, known }: { parameter: Parameter | null; known: boolean }) {
  if (parameter === null) return known ? <p className={css.dim}>The tool declares no such argument.</p> : null;
  const words = [parameter.type, parameter.required ? "required" : "optional"].filter(Boolean).join(", ");
  return (
    <p className={css.dim}>
      declared as {words}
      {parameter.description !== null && (
        <>
          : <Recorded text={parameter.description} />
        </>
      )}
    </p>
  );
}

interface DefinitionProps {
  tool: OfferedTool;
  /** The tool's declaration elsewhere, if the previous model call did not offer it. */
  elsewhere: Declared | null | undefined;
  refused: readonly Refused[];
}

function Definition({ tool, elsewhere, refused }: DefinitionProps) {
  const parameters = parametersOf(tool.schema);
  const isRefused = (name: string) => refused.some((each) => each.name === name);
  return (
    <Section
      title={elsewhere?.event.kind === "rpc" ? "As its server listed it" : "As it was offered to the model"}
      aside={
        elsewhere && (
          <Link
            to="/traces/$traceId"
            params={{ traceId: elsewhere.event.trace_id }}
            search={{ span: elsewhere.event.span_id }}
          >
            <Recorded text={elsewhere.event.name} />
          </Link>
        )
      }
    >
      {tool.description !== null && <LongText text={tool.description} lines={8} />}
      {parameters.length > 0 && (
        <table className={css.parameters}>
          <thead className="visually-hidden">
            <tr>
              <th scope="col">Argument</th>
              <th scope="col">Type</th>
              <th scope="col">What it is</th>
            </tr>
          </thead>
          <tbody>
            {parameters.map(({ name, type, required, description }) => (
              <tr key={name} className={isRefused(name) ? css.bad : undefined}>
                <th scope="row">
                  <Recorded text={name} />
                  {isRefused(name) && <span className={css.mark}> refused</span>}
                </th>
                <td>
                  {type !== null && <Recorded text={type} />}
                  {required && <span className={css.dim}> required</span>}
                </td>
                <td>{description !== null && <Recorded text={description} />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
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
  /** Whether its answer asks for this very call. */
  asks: boolean;
  tool: OfferedTool | null;
  /** The call itself, once it is loaded. */
  call: FullSpan | null;
}

/** The same agent's model call before a tool call, and the tool as it was offered to the model. */
function useAskingCall(span: FullSpan, place: Around, rows: readonly SpanRow[]): AskingCall {
  const row = useMemo(() => previousModelCall(rows, place.row?.id ?? ""), [rows, place.row?.id]);
  const other = useOtherSpan(row?.traceId ?? "", row?.id ?? null).span;
  return useMemo(() => {
    if (!other) return { row, asks: false, tool: null, call: null };
    const callId = attributeText(span, KEY.toolCallId);
    const asks = place.row?.inferred != null || (callId !== null && asksFor(other.messages.output, callId));
    const tool = other.messages.tools.find(({ name }) => name === span.tool);
    return { row, asks, tool: tool ?? null, call: other };
  }, [row, other, span, place.row]);
}
