"use strict";

// The AI SDK (`ai`). Version 7 publishes what it does on the tracing channel `ai:telemetry`, also where it is bundled
// into the program: https://ai-sdk.dev/docs/ai-sdk-core/telemetry
// In version 6 the functions that do it are wrapped (see `modules.cjs`), since its telemetry is off unless a program
// switches it on, and does not say that an agent failed.

const { safely } = require("./noted.cjs");
const { inPlaceOf } = require("./work.cjs");

const EMITTER = "ai";
const SESSIONS = ["sessionId", "conversationId", "threadId", "chatId"];

function watchAiSdk(work, held) {
  const { tracingChannel } = require("diagnostics_channel");
  if (!tracingChannel) return;
  const channel = tracingChannel("ai:telemetry");
  const parts = new WeakMap();
  const begin = (message) => {
    const part = begun(work, message);
    if (part) parts.set(message, part);
    return part;
  };
  channel.start.bindStore(work.storage, (message) => safely(() => begin(message)) || work.storage.getStore());
  channel.asyncEnd.subscribe((message) => safely(() => end(parts.get(message), message)));
  held.push(channel);
}

function begun(work, { type, event }) {
  if (type === "generateText" || type === "streamText") {
    const { functionId, runtimeContext, messages } = event;
    return beginAgent(work, type, functionId, asked(messages), runtimeContext);
  }
  return type === "executeTool" ? beginTool(work, event.toolCall) : undefined;
}

function end(part, message) {
  if (!part) return;
  if ("error" in message) part.failed(message.error);
  else if (message.type === "executeTool") endTool(part, message.result.output);
  else part.ended(message.result && answered(message.result));
}

function beginAgent(work, type, name, given, context) {
  const session = context && SESSIONS.map((each) => context[each]).find((each) => typeof each === "string");
  return work.begin("agent", { emitter: EMITTER, name: name || type, session, given });
}

function beginTool(work, { toolName, toolCallId, input }) {
  return work.begin("tool", { emitter: EMITTER, name: toolName, id: toolCallId, given: input });
}

function endTool(part, output) {
  if (output && output.type === "tool-error") part.failed(output.error);
  else part.ended(output && output.output);
}

// What an agent was asked: the text, if that is all.
function asked(messages) {
  const only = Array.isArray(messages) && messages.length === 1 ? messages[0] : undefined;
  return only && typeof only.content === "string" ? only.content : messages;
}

function answered({ text, toolCalls }) {
  return text || toolCalls;
}

// Functions in place of those of version 6.
function aiSdk6(work) {
  const agent = (type, options) => {
    const { functionId, metadata } = options.experimental_telemetry || {};
    return beginAgent(work, type, functionId, options.prompt || options.messages, metadata);
  };
  const settling = (part, promise, end) =>
    promise.then(
      (result) => (safely(() => end(part, result)), result),
      (error) => {
        safely(() => part.failed(error));
        throw error;
      }
    );
  const wrapped = (original, begin, end) =>
    inPlaceOf(original, function (given) {
      const part = safely(() => begin(given[0]));
      const act = () => original.apply(this, given);
      return part ? settling(part, work.within(part, act), end) : act();
    });
  return {
    generateText: (original) =>
      wrapped(original, (options) => agent("generateText", options), (part, result) => part.ended(answered(result))),
    executeToolCall: (original) => wrapped(original, ({ toolCall }) => beginTool(work, toolCall), endTool),
    streamText: (original) =>
      inPlaceOf(original, function (given) {
        const part = safely(() => agent("streamText", given[0]));
        const result = work.within(part, () => original.apply(this, given));
        if (part) safely(() => whenSettled(result._steps, (steps) => part.ended(answered(steps.at(-1))), (e) => part.failed(e)));
        return result;
      }),
  };
}

// What a result promises is settled once its stream is over. The getters of the result would read the stream, and the
// promise itself would no more be one whose rejection nobody handles.
function whenSettled(delayed, resolved, rejected) {
  for (const [name, tell] of [["resolve", resolved], ["reject", rejected]]) {
    const settle = delayed[name];
    delayed[name] = inPlaceOf(settle, function ([value]) {
      safely(() => tell(value));
      return settle.call(this, value);
    });
  }
}

module.exports = { aiSdk6, watchAiSdk };
