"use strict";

// Lines that are added to modules of published packages as they are loaded, which hand over what is in them.
// They come last, so that the lines before keep their numbers.

const { safely } = require("./noted.cjs");

const HANDED = Symbol.for("mcp-agent-inspector");

const FUNCTIONS_OF_AI = [/^async function executeToolCall\(/m, /^async function generateText\(/m, /^function streamText\(/m];

const METHODS_OF_MCP = [/^(?:export )?class Protocol \{/m, /^ {4}request\(request, resultSchema/m, /^ {4}setRequestHandler\(/m];

// Each with the path of the module, and whether it is of a known version. Functions that are declared can be replaced, also where they are
// exported: https://tc39.es/ecma262/#sec-module-namespace-exotic-objects
const ADDITIONS = [
  {
    path: /\/node_modules\/ai\/dist\/index\.m?js$/,
    isKnown: (text) => FUNCTIONS_OF_AI.every((each) => each.test(text)) && !text.includes("ai:telemetry"),
    names: ["executeToolCall", "generateText", "streamText"],
    set: "aiSdk6",
  },
  {
    path: /\/node_modules\/@openai\/agents-core\/dist\/tool\.m?js$/,
    isKnown: (text) => /^(?:export )?function tool\(options\)/m.test(text),
    names: ["tool"],
    set: "openAiAgents",
  },
  {
    path: /\/node_modules\/@modelcontextprotocol\/sdk\/dist\/(?:esm|cjs)\/shared\/protocol\.js$/,
    isKnown: (text) => METHODS_OF_MCP.every((each) => each.test(text)),
    names: ["Protocol"],
    set: "mcpSdk",
  },
];

function watchModules(taken) {
  globalThis[HANDED] = taken;
  const Module = require("module");
  const { _compile } = Module.prototype;
  Module.prototype._compile = function (content, filename, ...more) {
    return _compile.call(this, safely(() => added(filename, content)) || content, filename, ...more);
  };
  // Without it, in Node before 22.15, ES modules are left as they are: the other way runs all of them past a thread.
  if (!Module.registerHooks) return;
  Module.registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (loaded.format !== "module" || !loaded.source) return loaded;
      const source = safely(() => added(url, loaded.source));
      return source ? { ...loaded, source } : loaded;
    },
  });
}

function added(place, content) {
  const path = place.replace(/\\/g, "/").split("?")[0];
  const addition = ADDITIONS.find((each) => each.path.test(path));
  if (!addition) return undefined;
  const source = typeof content === "string" ? content : Buffer.from(content).toString();
  return addition.isKnown(source) ? source + lines(addition) : undefined;
}

function lines({ names, set }) {
  const of = `globalThis[Symbol.for("mcp-agent-inspector")].${set}`;
  // What TypeScript has made a module of CommonJS exports functions by value.
  const exported = (name) => `if (typeof exports === "object" && exports.${name}) exports.${name} = ${name};`;
  const each = names.map((name) => `${name} = ${of}.${name}(${name}); ${exported(name)}`);
  return `\n;try { ${each.join(" ")} } catch (_) {}\n`;
}

module.exports = { watchModules };
