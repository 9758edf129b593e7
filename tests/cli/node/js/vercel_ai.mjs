// Agents of the AI SDK: tools at the same time, one of which fails, an agent in a tool, a stream, a failure, one given up.
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { createRequire } from "node:module";
import { z } from "zod";

const load = process.env.LOAD === "require" ? createRequire(import.meta.url) : (name) => import(name);
const [ai, { createOpenAI }] = [await load(process.env.AI), await load(process.env.PROVIDER)];
const { generateText, streamText, tool, ToolLoopAgent } = ai;
const steps = (ai.isStepCount || ai.stepCountIs)(3);
const model = createOpenAI({ apiKey: "none", baseURL: `${process.env.MODEL}/v1` }).chat("gpt-4o");
const named = (functionId) => ({ experimental_telemetry: { functionId, metadata: { sessionId: "trip-42" } } });
const inputSchema = z.object({ city: z.string() });

class NoSuchPlace extends Error {}
function look(city) {
  if (city === "Nowhere") throw new NoSuchPlace("not on the map");
  return { city, sky: "rain" };
}
const weather = tool({ inputSchema, execute: async ({ city }) => look(city) });
const guide = tool({
  inputSchema,
  execute: async ({ city }) => {
    const prompt = `guide\n!call weather {"city": "${city}"}`;
    return (await generateText({ model, prompt, tools: { weather }, stopWhen: steps, ...named("guide") })).text;
  },
});

const prompt = 'plan\n!call guide {"city": "Bergen"}\n!call guide {"city": "Oslo"}\n!call weather {"city": "Nowhere"}';
const planned = await generateText({ model, prompt, tools: { guide, weather }, stopWhen: steps, ...named("planner") });
console.log(planned.text);
console.log((await new ToolLoopAgent({ model, tools: { weather } }).generate({ prompt: "hello" })).text);
let streamed = "";
const stream = streamText({ model, prompt: 'stream\n!call weather {"city": "Voss"}', tools: { weather }, stopWhen: steps });
for await (const piece of stream.textStream) streamed += piece;
console.log(streamed);
await generateText({ model, prompt: "!fail 400 9\nfailing" }).catch((error) => console.log(error.name, error.message));
process.once("unhandledRejection", (error) => console.log("unhandled", error.name));
const failing = streamText({ model, prompt: "!fail 400 9\nunread", onError() {} });
for await (const piece of failing.textStream) void piece;
void failing.steps;
await new Promise(setImmediate);
const leaving = new AbortController();
const sent = () => { unsubscribe("undici:request:bodySent", sent); leaving.abort(); };
subscribe("undici:request:bodySent", sent);
await generateText({ model, prompt: "!wait 5\nleft", abortSignal: leaving.signal }).catch((error) => console.log(error.name));
process.exitCode = 3;
