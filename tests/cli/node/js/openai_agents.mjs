// Agents of the OpenAI Agents SDK: tools at the same time, one of which fails, a handoff, an agent as a tool, a guardrail.
import { createRequire } from "node:module";
import OpenAI from "openai";
import { z } from "zod";

const load = process.env.LOAD === "require" ? createRequire(import.meta.url) : (name) => import(name);
const { Agent, OpenAIChatCompletionsModel, run, tool, withTrace } = await load("@openai/agents");
const client = new OpenAI({ apiKey: "none", baseURL: `${process.env.MODEL}/v1` });
const model = new OpenAIChatCompletionsModel(client, "gpt-4o");
const parameters = z.object({ city: z.string() });

class NoSuchPlace extends Error {}
const weather = tool({
  name: "weather",
  description: "looks",
  parameters,
  execute: async ({ city }) => {
    if (city === "Nowhere") throw new NoSuchPlace("not on the map");
    return { city, sky: "rain" };
  },
});
class Clock {
  #zone = "UTC";
  description = "tells";
  parameters = z.object({});
  get name() { return "clock"; }
  async needsApproval() { return true; }
  async execute() { return this.#zone; }
}
const clock = tool(Object.freeze(new Clock()));
console.log(clock.name, await clock.needsApproval(), await clock.invoke(undefined, "{}"));

const guide = new Agent({ name: "guide", model, instructions: "guide", tools: [weather] });
const guided = guide.asTool({ toolName: "ask_guide", toolDescription: "asks" });
const inputGuardrails = [{ name: "polite", execute: async () => ({ outputInfo: {}, tripwireTriggered: false }) }];
const planner = new Agent({ name: "planner", model, instructions: "plan", tools: [weather, guided], handoffs: [guide], inputGuardrails });

const plan = 'plan\n!call weather {"city": "Bergen"}\n!call weather {"city": "Nowhere"}';
const planned = await withTrace("trip", () => run(planner, plan), { groupId: "trip-42" });
console.log(planned.finalOutput);
console.log((await run(planner, 'ask\n!call ask_guide {"input": "Oslo"}')).finalOutput);
console.log((await run(planner, "over\n!call transfer_to_guide {}")).lastAgent.name);
const streamed = await run(guide, 'stream\n!call weather {"city": "Voss"}', { stream: true });
for await (const event of streamed) void event;
console.log(streamed.finalOutput);
await run(guide, "!fail 400 9\nfailing").catch((error) => console.log(error.name));
await Promise.all(["a", "b"].map((each) => run(guide, each)));
process.exitCode = 3;
