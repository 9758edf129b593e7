"use strict";

// Clients and servers of the MCP SDK (`@modelcontextprotocol/sdk`): requests in both directions, where they are sent and
// where they are answered. Methods of the class that both have in common are wrapped as its module is loaded.

const { safely } = require("./noted.cjs");
const { inPlaceOf } = require("./work.cjs");

const EMITTER = "@modelcontextprotocol/sdk";
const TRANSPORTS = [[/^Stdio/, "stdio"], [/^InMemory/, "memory"], [/^SSE/, "sse"], [/^WebSocket/, "websocket"]];

function mcpSdk(work) {
  const begin = (protocol, direction, id, { method, params }) =>
    work.begin("rpc", {
      ...{ emitter: EMITTER, direction, id, transport: transportOf(protocol), server: serverOf(protocol, direction) },
      given: { jsonrpc: "2.0", id, method, params },
    });
  const settled = (part, promise) =>
    promise.then(
      (result) => (part.ended(result), result),
      (error) => {
        part.failed(error);
        throw error;
      }
    );
  const sent = ({ request }) =>
    inPlaceOf(request, function (given) {
      const part = safely(() => begin(this, "outbound", this._requestMessageId, given[0]));
      const act = () => request.apply(this, given);
      return part ? settled(part, work.within(part, act)) : act();
    });
  const answering = (protocol, handler) =>
    inPlaceOf(handler, function (given) {
      const part = safely(() => begin(protocol, "inbound", given[1].requestId, given[0]));
      const act = () => handler.apply(this, given);
      // What it throws at once is answered in the same way.
      return part ? settled(part, work.within(part, async () => act())) : act();
    });
  const handled = ({ setRequestHandler }) =>
    inPlaceOf(setRequestHandler, function ([schema, handler, ...more]) {
      return setRequestHandler.call(this, schema, answering(this, handler), ...more);
    });
  return {
    Protocol(Protocol) {
      const { prototype } = Protocol;
      for (const [name, make] of [["request", sent], ["setRequestHandler", handled]]) {
        Object.defineProperty(prototype, name, { value: make(prototype), configurable: true, writable: true });
      }
      return Protocol;
    },
  };
}

function transportOf({ transport }) {
  const { name } = transport.constructor;
  const found = TRANSPORTS.find(([pattern]) => pattern.test(name));
  return found ? found[1] : "http";
}

function serverOf({ transport }, direction) {
  if (direction === "inbound") return undefined;
  const { _serverParams: started, _url: url } = transport;
  if (started && !started.cwd) return [started.command, ...(started.args || [])];
  return url ? `${url.origin}${url.pathname}` : undefined;
}

module.exports = { mcpSdk };
