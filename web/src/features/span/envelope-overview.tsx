import { bytes } from "@/lib/format";
import { attribute, attributeNumber, attributeText, type FullSpan } from "@/lib/full-span";
import { MessageView } from "@/ui/message";
import css from "./envelope-overview.module.css";
import type { OverviewProps } from "./overview-props";
import { RecordedValue } from "./recorded-value";
import { Fact, Facts, Section, TextFact } from "./section";
import { KEY } from "./semconv";

/** A JSON-RPC message, a resource or a prompt: its subject, request and response. */
export function EnvelopeOverview({ span }: OverviewProps) {
  return (
    <>
      {span.kind === "resource" && <Resource span={span} />}
      {span.kind === "prompt" && <Prompt span={span} />}
      <Envelope span={span} />
      <Section title="Transport">
        <Facts>
          <TextFact label="Method" text={attributeText(span, KEY.mcpMethod, KEY.rpcMethod)} mono />
          <TextFact label="Request id" text={attributeText(span, KEY.rpcId, KEY.rpcIdOld)} mono />
          <Fact label="Direction">{direction(span)}</Fact>
          <TextFact label="Transport" text={transport(span)} />
          <TextFact label="State" text={attributeText(span, KEY.transportStatus)} />
          <TextFact label="Protocol" text={attributeText(span, KEY.protocolVersion)} />
          <TextFact label="JSON-RPC" text={attributeText(span, KEY.jsonrpcVersion, "jsonrpc.protocol.version")} />
          <TextFact label="Error code" text={attributeText(span, KEY.rpcStatus, KEY.rpcErrorCode)} />
        </Facts>
      </Section>
    </>
  );
}

/** What was read. Of a failed call the answer is its error, which shows above. */
function Resource({ span }: { span: FullSpan }) {
  const size = attributeNumber(span, KEY.resourceBytes);
  return (
    <>
      <Section title="Resource">
        <Facts>
          <TextFact label="Address" text={attributeText(span, KEY.resourceUri) ?? asText(span.input)} mono />
          <TextFact label="Type" text={attributeText(span, KEY.resourceMimeType)} />
          <Fact label="Size">{size === null ? null : bytes(size)}</Fact>
        </Facts>
      </Section>
      {span.error === null && (
        <Section title="Content">
          <RecordedValue
            value={span.output}
            label="content"
            nothing="No content was recorded."
            clipped={span.clipped.output !== undefined}
          />
        </Section>
      )}
    </>
  );
}

function Prompt({ span }: { span: FullSpan }) {
  const messages = span.messages.output;
  return (
    <>
      <Section title="Prompt">
        <Facts>
          <TextFact label="Template" text={attributeText(span, KEY.promptTemplate, KEY.promptName)} />
        </Facts>
      </Section>
      <Section title="Parameters">
        <RecordedValue
          value={span.input}
          label="parameters"
          nothing="No parameters."
          clipped={span.clipped.input !== undefined}
        />
      </Section>
      {messages.length > 0 && (
        <Section title="Rendered">
          {messages.map((message, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: messages have no other identity
            <MessageView key={at} message={message} />
          ))}
        </Section>
      )}
    </>
  );
}

/** Request and response, side by side if there is room; for resources and prompts only if recorded. */
function Envelope({ span }: { span: FullSpan }) {
  const isRpc = span.kind === "rpc";
  const request = isRpc ? span.input : attribute(span, KEY.rpcRequest);
  const response = isRpc ? span.output : attribute(span, KEY.rpcResponse);
  const clipped = (side: "input" | "output", key: string) =>
    (isRpc ? span.clipped[side] : span.clipped[`attributes.${key}`]) !== undefined;
  const isThere = (value: unknown, isClipped: boolean) => isClipped || (value !== null && value !== undefined);
  const inClipped = clipped("input", KEY.rpcRequest);
  const outClipped = clipped("output", KEY.rpcResponse);
  if (!isRpc && !isThere(request, inClipped) && !isThere(response, outClipped)) return null;
  const budget = isRpc ? 40 : 12;
  return (
    <div className={css.pair}>
      <Section title="Request">
        <RecordedValue value={request} label="request" nothing="Not recorded." clipped={inClipped} lines={budget} />
      </Section>
      <Section title="Response">
        <RecordedValue
          value={response}
          label="response"
          nothing={span.status === "running" ? "None yet." : "Not recorded."}
          clipped={outClipped}
          lines={budget}
        />
      </Section>
    </div>
  );
}

function direction(span: FullSpan): string | null {
  switch (attributeText(span, KEY.rpcDirection)) {
    case "inbound":
      return "inbound: received by this process";
    case "outbound":
      return "outbound: sent by this process";
    default:
      return null;
  }
}

function transport(span: FullSpan): string | null {
  const own = attributeText(span, KEY.rpcTransport);
  const network = attributeText(span, KEY.networkTransport);
  return own !== null && network !== null && own !== network ? `${own} (${network})` : (own ?? network);
}

function asText(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
