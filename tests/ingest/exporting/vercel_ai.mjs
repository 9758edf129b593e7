// A call of a model with a tool that works and one that fails, a stream, one that breaks off, and an embedding,
// under the telemetry of the AI SDK.
//
//     npm install --prefix /tmp/vercel ai@6.0.326 zod@4.6.7 @opentelemetry/api@1.9.1 \
//         @opentelemetry/sdk-trace-base@2.12.1 @opentelemetry/context-async-hooks@2.12.0
//     cp vercel_ai.mjs /tmp/vercel && node /tmp/vercel/vercel_ai.mjs > ../exports/vercel_ai.jsonl

import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { context } from "@opentelemetry/api";
import { createRequire } from "node:module";
import { embed, generateText, simulateReadableStream, stepCountIs, streamText, tool } from "ai";
import { MockEmbeddingModelV3, MockLanguageModelV3 } from "ai/test";
import { z } from "zod";

const kept = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(kept)] });
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
const telemetry = (functionId) => ({
  isEnabled: true,
  tracer: provider.getTracer("ai"),
  functionId,
  metadata: { sessionId: "session-1" },
});
const usage = {
  inputTokens: { total: 20, noCache: 12, cacheRead: 8, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
};
const finish = { finishReason: { unified: "stop", raw: "stop" }, usage };
const model = new MockLanguageModelV3({
  provider: "openai.chat",
  modelId: "gpt-4o",
  doGenerate: async ({ prompt }) =>
    prompt.some(({ role }) => role === "tool")
      ? { ...finish, content: [{ type: "text", text: "It is sunny." }], warnings: [] }
      : {
          finishReason: { unified: "tool-calls", raw: "tool_calls" },
          usage,
          warnings: [],
          content: [
            { type: "reasoning", text: "Where?" },
            { type: "tool-call", toolCallId: "call_1", toolName: "weather", input: '{"city":"Paris"}' },
            { type: "tool-call", toolCallId: "call_2", toolName: "broken", input: "{}" },
          ],
        },
  doStream: async () => ({
    stream: simulateReadableStream({
      chunks: [
        { type: "stream-start", warnings: [] },
        { type: "text-start", id: "1" },
        { type: "text-delta", id: "1", delta: "Hello." },
        { type: "text-end", id: "1" },
        { type: "finish", ...finish },
      ],
    }),
  }),
});
const weather = tool({
  description: "Tells the weather.",
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => `sunny in ${city}`,
});
const broken = tool({
  description: "Fails.",
  inputSchema: z.object({}),
  execute: async () => {
    throw new Error("no weather today");
  },
});

await generateText({
  model,
  system: "Be short.",
  prompt: "How is the weather?",
  tools: { weather, broken },
  stopWhen: stepCountIs(3),
  experimental_telemetry: telemetry("forecaster"),
});
await streamText({ model, prompt: "Say hello.", experimental_telemetry: telemetry("greeter") }).consumeStream();

const cut = new MockLanguageModelV3({
  provider: "openai.chat",
  modelId: "gpt-4o",
  doStream: async () => ({
    stream: simulateReadableStream({
      chunks: [
        { type: "stream-start", warnings: [] },
        { type: "text-start", id: "1" },
        { type: "text-delta", id: "1", delta: "Hel" },
        { type: "error", error: new Error("cut off") },
      ],
    }),
  }),
});
await streamText({
  model: cut,
  prompt: "Say hello.",
  onError: () => {},
  experimental_telemetry: telemetry("cutter"),
}).consumeStream();

const embedding = new MockEmbeddingModelV3({
  provider: "openai.embedding",
  modelId: "text-embedding-3-small",
  doEmbed: async () => ({ embeddings: [[0.1, 0.2]], usage: { tokens: 11 }, warnings: [] }),
});
await embed({ model: embedding, value: 'A "word".', experimental_telemetry: telemetry("embedder") });

const versions = ["ai", "@opentelemetry/sdk-trace-base"].map(
  (name) => `${name} ${createRequire(import.meta.url)(`${name}/package.json`).version}`,
);
const value = (held) => {
  if (Array.isArray(held)) return { arrayValue: { values: held.map(value) } };
  if (typeof held === "boolean") return { boolValue: held };
  if (typeof held === "number") return Number.isInteger(held) ? { intValue: String(held) } : { doubleValue: held };
  return { stringValue: String(held) };
};
const pairs = (held) => Object.entries(held).map(([key, each]) => ({ key, value: value(each) }));
const nanos = ([seconds, rest]) => String(BigInt(seconds) * 1_000_000_000n + BigInt(rest));
const spans = kept.getFinishedSpans().map((span) => ({
  traceId: span.spanContext().traceId,
  spanId: span.spanContext().spanId,
  parentSpanId: span.parentSpanContext?.spanId,
  name: span.name,
  kind: span.kind + 1,
  startTimeUnixNano: nanos(span.startTime),
  endTimeUnixNano: nanos(span.endTime),
  attributes: pairs(span.attributes),
  events: span.events.map(({ name, time, attributes }) => ({ name, timeUnixNano: nanos(time), attributes: pairs(attributes) })),
  status: span.status,
}));
const resource = { attributes: pairs({ "service.name": "trial", "exported.with": versions.join(", ") }) };
const line = JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ scope: { name: "ai" }, spans }] }] });
const places = /(file:\/\/)?\/[^\s"\\()]*\/node_modules\//g;
console.log(line.replace(places, "/node_modules/").replace(/file:\/\/\/[^\s"\\()]*\//g, ""));
