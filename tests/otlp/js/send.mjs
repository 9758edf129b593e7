// Sends a small agent run with the published SDK: node send.mjs http|proto ENDPOINT TOKEN
import { context, trace, SpanKind, SpanStatusCode } from "@opentelemetry/api";
import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";

const [, , kind, endpoint, token] = process.argv;
const Exporter = kind === "http" ? JsonExporter : ProtobufExporter;
const exporter = new Exporter({
  url: `${endpoint}/v1/traces`,
  headers: { Authorization: `Bearer ${token}` },
  compression: kind === "http" ? "none" : "gzip",
});
const provider = new BasicTracerProvider({
  resource: resourceFromAttributes({ "service.name": `js-${kind}` }),
  spanProcessors: [new BatchSpanProcessor(exporter)],
});
const tracer = provider.getTracer("agent", "1.0");
const root = tracer.startSpan("invoke_agent planner", { attributes: { "gen_ai.operation.name": "invoke_agent" } });
const inside = trace.setSpan(context.active(), root);
for (let at = 0; at < 40; at++) {
  const span = tracer.startSpan(
    `execute_tool search-${at}`,
    {
      kind: SpanKind.CLIENT,
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": `search-${at}`,
        ok: at % 2 === 0,
        weights: [1.5, at],
        text: "ü 漢 🙂",
      },
    },
    inside,
  );
  if (at === 7) {
    span.recordException(new TypeError("no such place"));
    span.setStatus({ code: SpanStatusCode.ERROR, message: "no such place" });
  }
  span.end();
}
root.end();
await provider.forceFlush();
await provider.shutdown();
process.stdout.write(root.spanContext().traceId);
