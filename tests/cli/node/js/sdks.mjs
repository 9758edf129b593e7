// Calls models through published SDKs: a tool and its result, a stream, and a failure, each by name of the SDK.
import { createOpenAI } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import { generateText, stepCountIs, streamText, tool } from "ai";
import OpenAI from "openai";
import { z } from "zod";

const url = process.env.MODEL;
const parameters = { type: "object", properties: { city: { type: "string" } } };
const of = (name) => `${name}\n!call weather {"city": "Bergen"}`;

const openai = new OpenAI({ apiKey: "none", baseURL: `${url}/v1` });
const messages = [{ role: "user", content: of("openai") }];
const tools = [{ type: "function", function: { name: "weather", parameters } }];
const asked = await openai.chat.completions.create({ model: "gpt-4o", messages, tools });
const [{ message }] = asked.choices;
messages.push(message, { role: "tool", tool_call_id: message.tool_calls[0].id, content: "rain" });
await openai.chat.completions.create({ model: "gpt-4o", messages, tools });
await openai.responses.stream({ model: "gpt-4o", input: "openai stream" }).finalResponse();
await openai.responses.create({ model: "gpt-4o", input: "!fail 400 1\nopenai" }).catch(() => {});

const anthropic = new Anthropic({ apiKey: "none", baseURL: url });
const toAnthropic = { model: "claude-opus-4-8", max_tokens: 100 };
await anthropic.messages.create({ ...toAnthropic, messages: [{ role: "user", content: "anthropic" }] });
await anthropic.messages.stream({ ...toAnthropic, messages: [{ role: "user", content: "anthropic stream" }] }).finalText();

const model = createOpenAI({ apiKey: "none", baseURL: `${url}/v1` }).chat("gpt-4o");
const weather = tool({ inputSchema: z.object({ city: z.string() }), execute: async () => "rain" });
await generateText({ model, prompt: of("ai"), tools: { weather }, stopWhen: stepCountIs(3) });
for await (const piece of streamText({ model, prompt: "ai stream" }).textStream) void piece;
