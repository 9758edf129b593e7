"use strict";

// Loaded by `inspector run` into every Node of a program, before the program (`--require` in NODE_OPTIONS).
// It notes the requests that may call a model, and what comes back, in a private file that `inspector run` follows.
// What they mean is worked out there.
//
// It only looks on: nothing is read, copied or held back that the program would not get in the same way without it.
// Requests of `fetch` are seen by undici's diagnostics channels, those of `http` and `https` at `ClientRequest`.
// It has to be understood by every Node that a program may start, so its syntax is that of 2020.

const SEGMENT_BYTES = 8 << 20; // After so much the next file begins, so that the one before can be removed.
const KEPT_HEADERS = new Set(["content-encoding", "content-type", "request-id", "x-request-id"]);

const { MOST_BYTES, described, isLeft, safely } = require("./noted.cjs");

function begin({ directory, paths }) {
  const facts = new Facts(directory, clockOf(Date.now(), process.hrtime.bigint));
  const isOfModel = (method, path) => method === "POST" && new RegExp(paths).test(path.split(/[?#]/)[0]);
  watchUndici(facts, isOfModel);
  watchHttp(facts, isOfModel);
  safely(() => watchFrameworks(facts));
  watchEnd(facts);
}

function watchFrameworks(facts) {
  const { Work } = require("./work.cjs");
  const { aiSdk6, watchAiSdk } = require("./vercel_ai.cjs");
  const work = new Work(facts);
  facts.part = () => work.current;
  safely(() => watchAiSdk(work, held));
  const { openAiAgents, watchOpenAiAgents } = require("./openai_agents.cjs");
  const spans = watchOpenAiAgents(work);
  const { mcpSdk } = require("./mcp.cjs");
  const taken = { aiSdk6: aiSdk6(work), openAiAgents: openAiAgents(spans), mcpSdk: mcpSdk(work) };
  require("./modules.cjs").watchModules(taken);
}

function watchEnd(facts) {
  let caught;
  process.on("uncaughtExceptionMonitor", (error) => {
    // That of a worker goes to the thread that started it.
    if (!require("worker_threads").isMainThread) return;
    caught = { did: "threw", ...described(error) };
    // One that the program catches here fails its run only if it leaves with an exit code.
    if (process.listenerCount("uncaughtException") || process.hasUncaughtExceptionCaptureCallback()) return;
    facts.write(caught);
    caught = undefined;
  });
  process.on("exit", (code) => {
    if (code && caught) facts.write(caught);
    facts.write({ did: "exited" });
  });
}

// Microseconds since 1970. Clocks are taken now, because tests of the program may put their own in their place.
function clockOf(startMs, hrtime) {
  const start = hrtime();
  return () => startMs * 1000 + Number((hrtime() - start) / 1000n);
}

// The file of one thread: lines of JSON, each written at once, so that it is there even if the process is killed.
class Facts {
  constructor(directory, clock) {
    Object.assign(this, { directory, clock, fs: require("fs"), path: require("path") });
    Object.assign(this, { fd: undefined, segment: 0, size: 0, calls: 0, isOver: false });
    this.writeSync = this.fs.writeSync;
  }

  write(fact) {
    // Without a call there is nothing to say.
    if (this.fd !== undefined && !this.isOver) safely(() => this.append(fact));
  }

  append(fact) {
    if (this.fd === undefined || this.size > SEGMENT_BYTES) this.open();
    this.size += this.writeSync(this.fd, JSON.stringify({ at: this.clock(), ...fact }) + "\n");
  }

  open() {
    const name = `${process.pid}-${require("worker_threads").threadId}-${this.segment}.jsonl`;
    const file = this.path.join(this.directory, name);
    const fd = this.fs.openSync(file, "ax", 0o600);
    if (this.fd !== undefined) this.fs.closeSync(this.fd);
    Object.assign(this, { fd, segment: this.segment + 1, size: 0 });
    this.append({ did: "began", script: process.argv[1], package: process.env.npm_package_name });
  }

  // Whether anybody reads on; no more once the run is over, and its directory gone, in a process that outlives it.
  isWanted() {
    if (this.isOver) return false;
    this.isOver = true;
    if (this.fd === undefined) this.open();
    this.isOver = this.fs.fstatSync(this.fd).nlink === 0;
    return !this.isOver;
  }

  // The number of the next call.
  next() {
    return (this.calls += 1);
  }

  // Returns a new request; undefined if nobody reads on.
  call(url) {
    if (!this.isWanted()) return undefined;
    const part = safely(() => this.part());
    return new Call(this, this.next(), url, part && part.id);
  }
}

class Call {
  constructor(facts, id, url, outer) {
    Object.assign(this, { facts, id, url, outer, began: facts.clock(), body: [], size: 0 });
    Object.assign(this, { isSent: false, isOver: false, encoding: "", held: [] });
  }

  write(fact) {
    this.facts.write({ call: this.id, ...fact });
  }

  // Bytes of the request.
  gave(chunk, encoding) {
    const piece = typeof chunk === "string" ? Buffer.from(chunk, encoding) : Buffer.from(chunk);
    this.size += piece.length;
    if (this.size <= MOST_BYTES) this.body.push(piece);
  }

  sent() {
    if (this.isSent) return;
    this.isSent = true;
    const body = this.size <= MOST_BYTES ? Buffer.concat(this.body).toString("latin1") : "";
    Object.assign(this, { body: [], size: 0 });
    this.write({ did: "sent", at: this.began, in: this.outer, url: this.url, body });
  }

  responded(status, headers) {
    this.sent();
    this.encoding = (headers["content-encoding"] || "").trim().toLowerCase();
    this.write({ did: "responded", status, headers });
  }

  // Bytes of the answer. One that is encoded is decoded at its end.
  got(chunk) {
    if (!chunk || this.size > MOST_BYTES) return;
    // Without a copy, as it is written at once.
    const piece = typeof chunk === "string" ? Buffer.from(chunk) : viewed(chunk);
    this.size += piece.length;
    if (this.size > MOST_BYTES) this.write({ did: "grew" });
    else if (this.encoding && this.encoding !== "identity") this.held.push(Buffer.from(piece));
    else this.write({ did: "got", data: piece.toString("latin1") });
  }

  ended(how) {
    if (this.isOver) return;
    this.isOver = true;
    this.sent();
    if (this.held.length && this.size <= MOST_BYTES) {
      const plain = safely(() => decoded(Buffer.concat(this.held), this.encoding));
      if (plain) this.write({ did: "got", data: plain.toString("latin1") });
    }
    this.held = [];
    this.write(how);
  }

  whole() {
    this.ended({ did: "ended" });
  }

  left() {
    this.ended({ did: "left" });
  }

  failed(error) {
    if (isLeft(error)) this.left();
    else this.ended({ did: "failed", ...described(error) });
  }
}

function viewed(bytes) {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function decoded(body, encodings) {
  const zlib = require("zlib");
  // What was cut off is decoded as far as it goes.
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH, ZSTD_e_flush } = zlib.constants;
  const decoders = {
    br: (data) => zlib.brotliDecompressSync(data, { finishFlush: BROTLI_OPERATION_FLUSH, maxOutputLength: MOST_BYTES }),
    deflate: (data) => zlib.unzipSync(data, { finishFlush: Z_SYNC_FLUSH, maxOutputLength: MOST_BYTES }),
    gzip: (data) => zlib.unzipSync(data, { finishFlush: Z_SYNC_FLUSH, maxOutputLength: MOST_BYTES }),
    zstd: (data) => zlib.zstdDecompressSync(data, { finishFlush: ZSTD_e_flush, maxOutputLength: MOST_BYTES }),
  };
  decoders["x-gzip"] = decoders.gzip;
  return encodings.split(",").reduceRight((data, encoding) => decoders[encoding.trim()](data), body);
}

// Of the query, only the version is ever recorded; it may have a key.
function addressOf(origin, path) {
  const [place, query] = path.split("?");
  const version = /(?:^|&)(api-version=[\w.-]+)/.exec(query || "");
  return `${/^https?:/.test(place) ? "" : origin}${place}${version ? `?${version[1]}` : ""}`;
}

function kept(pairs) {
  const headers = {};
  for (const [name, value] of pairs) {
    const lower = String(name).toLowerCase();
    if (KEPT_HEADERS.has(lower)) headers[lower] = String(value);
  }
  return headers;
}

// `fetch`, and the package undici: https://undici.nodejs.org/#/docs/api/DiagnosticsChannel
function watchUndici(facts, isOfModel) {
  const calls = new WeakMap();
  const onRequest = (name, look) => on(`undici:request:${name}`, (told) => look(told, calls.get(told.request)));
  onRequest("create", ({ request }) => {
    if (!isOfModel(request.method, request.path)) return;
    const call = facts.call(addressOf(request.origin, request.path));
    if (call === undefined) return;
    calls.set(request, call);
    if (Buffer.isBuffer(request.body)) call.gave(request.body);
    else before(request, "onBodySent", (chunk) => call.gave(chunk));
    // From version 8 on a channel says it, before 7.12 there was none.
    if (request.onData) before(request, "onData", (chunk) => call.got(chunk));
    else call.isTold = true;
  });
  onRequest("bodySent", (_, call) => call && call.sent());
  onRequest("headers", ({ response: { statusCode, headers } }, call) => {
    if (call && statusCode >= 200) call.responded(statusCode, headersOf(headers));
  });
  onRequest("bodyChunkReceived", ({ chunk }, call) => call && call.isTold && call.got(chunk));
  onRequest("trailers", (_, call) => call && call.whole());
  onRequest("error", ({ error }, call) => call && call.failed(error));
}

function headersOf(raw) {
  if (!Array.isArray(raw)) return kept(Object.entries(raw));
  return kept(raw.flatMap((name, at) => (at % 2 ? [] : [[name, raw[at + 1]]])));
}

// `http` and `https`, and all that is built on them: https://nodejs.org/api/diagnostics_channel.html#http
function watchHttp(facts, isOfModel) {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 12)) {
    on("http.client.request.created", ({ request }) => {
      const call = begun(request, facts, isOfModel);
      if (call !== undefined) watchRequest(request, () => call);
    });
    return;
  }
  // Before, no channel tells of a request while it can still be looked at.
  const calls = new WeakMap();
  watchRequest(require("http").ClientRequest.prototype, (request) => {
    if (!calls.has(request)) calls.set(request, begun(request, facts, isOfModel));
    return calls.get(request);
  });
}

function watchRequest(owner, callOf) {
  for (const name of ["write", "end"]) {
    before(owner, name, function look(chunk, encoding) {
      const call = callOf(this);
      if (call === undefined || call.isSent) return;
      if (chunk && typeof chunk !== "function") call.gave(chunk, typeof encoding === "string" ? encoding : "utf8");
      if (name === "end") call.sent();
    });
  }
}

function begun(request, facts, isOfModel) {
  if (!isOfModel(request.method, request.path)) return undefined;
  const call = facts.call(addressOf(`${request.protocol}//${request.getHeader("host")}`, request.path));
  if (call === undefined) return undefined;
  before(request, "emit", (event, value) => {
    if (event === "response") watchResponse(value, call);
    else if (event === "error") call.failed(value);
    else if (event === "close" && !request.res) call.left();
  });
  // Afterwards the program gets an error about the connection that it has closed itself.
  before(request, "destroy", (error) => (error ? call.failed(error) : call.left()));
  return call;
}

function watchResponse(response, call) {
  call.responded(response.statusCode, kept(Object.entries(response.headers)));
  before(response, "push", (chunk) => {
    if (chunk !== null) call.got(chunk);
    else if (response.complete) call.whole();
  });
  before(response, "emit", (event, value) => {
    if (event === "error") call.failed(value);
    else if (event === "close") call.left();
  });
}

const held = [];

function on(name, look) {
  const channel = require("diagnostics_channel").channel(name);
  channel.subscribe((message) => safely(() => look(message)));
  // A channel is forgotten with its subscribers once nobody holds it.
  held.push(channel);
}

// Looks at each call of a method, before it.
function before(owner, name, look) {
  const original = owner[name];
  const method = {
    [name](...given) {
      safely(() => look.apply(this, given));
      return original.apply(this, given);
    },
  }[name];
  Object.defineProperty(method, "length", { value: original.length });
  Object.defineProperty(owner, name, { value: method, configurable: true, writable: true, enumerable: false });
}

const setting = process.env.INSPECTOR_NODE;
if (setting) safely(() => begin(JSON.parse(setting)));
