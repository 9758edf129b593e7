"use strict";

// The OpenAI Agents SDK (`@openai/agents`). Its provider of traces is kept under a symbol of all copies of the package,
// so it is found where the package is bundled into the program too. Of each span it is told when it begins and ends:
// https://openai.github.io/openai-agents-js/guides/tracing/

const { safely } = require("./noted.cjs");
const { inPlaceOf } = require("./work.cjs");

const EMITTER = "openai_agents";
const PROVIDER = Symbol.for("openai.agents.core.traceProvider");
const CONTEXT = Symbol.for("openai.agents.core.asyncLocalStorage");

function watchOpenAiAgents(work) {
  const spans = new Spans(work);
  work.others.push(() => spans.current);
  Object.defineProperty(globalThis, PROVIDER, {
    configurable: true,
    get: () => undefined,
    set(provider) {
      Object.defineProperty(globalThis, PROVIDER, { value: provider, configurable: true, writable: true });
      safely(() => observe(provider, spans));
    },
  });
  return spans;
}

// A program may put its own processors in place of all others.
function observe(provider, spans) {
  provider.registerProcessor(spans);
  const { setProcessors } = provider;
  provider.setProcessors = inPlaceOf(setProcessors, function ([processors]) {
    return setProcessors.call(this, [spans, ...processors]);
  });
}

// A processor of traces.
class Spans {
  constructor(work) {
    this.work = work;
    // By the id of a span or trace: its part, or the one that it belongs to.
    this.parts = new Map();
  }

  // What the package keeps for the program where it is.
  get store() {
    const storage = globalThis[CONTEXT];
    return storage && storage.getStore();
  }

  // The part in which the program is.
  get current() {
    const { store } = this;
    if (!store || store.active !== true) return undefined;
    return this.parts.get((store.span && store.span.spanId) || (store.trace && store.trace.traceId));
  }

  async onTraceStart(trace) {
    safely(() => {
      const part = this.begin("workflow", trace.name, { session: trace.groupId || undefined });
      this.keep(trace.traceId, part);
      // A trace in which a run failed is left without an end.
      if (part) whenLeft(this.store, () => this.end(trace.traceId, () => part.failed(failureOf(part.error))));
    });
  }

  async onTraceEnd({ traceId }) {
    safely(() => this.end(traceId, (part) => part.ended()));
  }

  async onSpanStart(span) {
    safely(() => {
      const outer = this.parts.get(span.parentId) || this.parts.get(span.traceId);
      this.keep(span.spanId, this.opened(span.spanData, outer) || outer);
    });
  }

  async onSpanEnd(span) {
    safely(() => {
      const outer = this.parts.get(span.parentId) || this.parts.get(span.traceId);
      const isItsOwn = this.parts.get(span.spanId) !== outer;
      if (span.error && outer) outer.error = span.error;
      this.end(span.spanId, (part) => isItsOwn && close(part, span));
    });
  }

  async shutdown() {}

  async forceFlush() {}

  opened(data, outer) {
    if (data.type === "agent") return this.begin("agent", data.name, {}, outer);
    if (data.type === "handoff") {
      return this.begin("tool", "handoff", { source: "runtime", given: { from_agent: data.from_agent } }, outer);
    }
    if (data.type === "guardrail") return this.begin("tool", data.name, { source: "runtime" }, outer);
    // Its arguments are set once it has begun.
    return data.type === "function" ? this.begin("tool", data.name, { later: () => parsed(data.input) }, outer) : undefined;
  }

  begin(noun, name, told, outer) {
    return this.work.begin(noun, { emitter: EMITTER, name, ...told }, outer);
  }

  keep(id, part) {
    if (part) this.parts.set(id, part);
  }

  end(id, close) {
    const part = this.parts.get(id);
    this.parts.delete(id);
    if (part) close(part);
  }
}

function parsed(text) {
  return safely(() => JSON.parse(text)) || text;
}

function close(part, { spanData, error }) {
  if (part.thrown) part.failed(part.thrown.error);
  else if (error) part.failed(failureOf(error));
  else if (spanData.type === "function") part.ended(spanData.output);
  else if (spanData.type === "handoff") part.ended({ to_agent: spanData.to_agent });
  else if (spanData.type === "guardrail") part.ended({ triggered: spanData.triggered });
  else part.ended();
}

// A failure as it is noted: a text that begins with the class, if that is known.
function failureOf({ message, data } = { message: "left without an end" }) {
  const text = data && typeof data.error === "string" ? data.error : message;
  const [, name, its] = /^([A-Z]\w*): (.*)$/s.exec(text) || [undefined, "AgentsError", text];
  return { name, message: its, constructor: { name } };
}

function whenLeft(store, act) {
  let { active } = store;
  const set = (value) => {
    active = value;
    if (!value) safely(act);
  };
  Object.defineProperty(store, "active", { configurable: true, enumerable: true, get: () => active, set });
}

// Functions in place of those of the package: what a tool throws is turned into a text for the model.
function openAiAgents(spans) {
  const noting = (error) => {
    const part = spans.current;
    if (part) part.thrown = { error };
  };
  const executed = (options) =>
    inPlaceOf(options.execute, function (given) {
      try {
        const result = options.execute(...given);
        if (result instanceof Promise) result.catch((error) => safely(() => noting(error)));
        return result;
      } catch (error) {
        safely(() => noting(error));
        throw error;
      }
    });
  // Not only a copy, since options may be an object of a class, with methods and private fields; nor they, since they
  // may be frozen.
  const standIn = (options) =>
    new Proxy({ ...options }, {
      get: (_, name) => (name === "execute" ? executed(options) : options[name]),
      has: (_, name) => name in options,
    });
  return {
    tool: (original) =>
      inPlaceOf(original, function ([options, ...more]) {
        const isOurs = options && typeof options.execute === "function";
        return original.call(this, isOurs ? standIn(options) : options, ...more);
      }),
  };
}

module.exports = { openAiAgents, watchOpenAiAgents };
