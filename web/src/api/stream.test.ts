import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { SpanEvent } from "./client";
import { connection, probe, setConnection } from "./connection";
import { follow } from "./stream";

/** An EventSource whose messages the test sends. */
class Source extends EventTarget {
  static readonly CLOSED = 2;
  static opened: Source[] = [];
  readonly url: string;
  readyState = 1;

  constructor(url: string) {
    super();
    this.url = url;
    Source.opened.push(this);
  }

  close() {
    this.readyState = Source.CLOSED;
  }

  say(type: string, lastEventId: string, data: unknown) {
    this.dispatchEvent(new MessageEvent(type, { data: JSON.stringify(data), lastEventId }));
  }
}

function hide(hidden: boolean) {
  vi.spyOn(document, "hidden", "get").mockReturnValue(hidden);
  document.dispatchEvent(new Event("visibilitychange"));
}

let frames: FrameRequestCallback[];
let stop: () => void;
const told: { spans: string[][]; gaps: number } = { spans: [], gaps: 0 };
const listener = {
  onSpans: (spans: SpanEvent[]) => told.spans.push(spans.map((span) => span.span_id)),
  onGap: () => {
    told.gaps += 1;
  },
};

beforeEach(() => {
  Source.opened = [];
  frames = [];
  told.spans = [];
  told.gaps = 0;
  setConnection("fine");
  vi.stubGlobal("EventSource", Source);
  vi.stubGlobal("requestAnimationFrame", (callback: FrameRequestCallback) => frames.push(callback));
  vi.stubGlobal("cancelAnimationFrame", () => {});
});

afterEach(() => {
  stop();
  vi.unstubAllGlobals();
});

it("hands over what arrived since the last frame at once", () => {
  stop = follow({}, 5, listener);
  const [source] = Source.opened;
  source?.say("span", "6", { span_id: "a" });
  source?.say("span", "7", { span_id: "b" });
  expect(told.spans).toEqual([]);
  frames.shift()?.(0);
  expect(told.spans).toEqual([["a", "b"]]);
});

it("rests while the page is hidden and resumes after the last change it saw", () => {
  stop = follow({ kind: ["llm"] }, 5, listener);
  Source.opened[0]?.say("span", "9", { span_id: "a" });
  hide(true);
  expect(Source.opened[0]?.readyState).toBe(Source.CLOSED);
  hide(false);
  expect(new URL(Source.opened[1]?.url ?? "").search).toBe("?kind=llm&after=9");
  expect(told.gaps).toBe(0);
});

it("waits for a server that is away, which is looked for once for all, and resumes where it stopped", async () => {
  vi.useFakeTimers();
  let answers = async () => Promise.reject(new TypeError("refused"));
  const asked = vi.fn(() => answers());
  vi.stubGlobal("fetch", asked);
  const stops = [follow({}, 1, listener), follow({ kind: ["llm"] }, 1, listener)];
  stop = () => {
    for (const end of stops) end();
  };
  for (const source of [...Source.opened]) {
    source.say("span", "9", { span_id: "a" });
    source.dispatchEvent(new Event("error"));
  }
  await vi.advanceTimersByTimeAsync(0);
  expect(connection()).toBe("lost");
  expect(Source.opened.map(({ readyState }) => readyState)).toEqual([Source.CLOSED, Source.CLOSED]);
  asked.mockClear();
  await vi.advanceTimersByTimeAsync(15_000);
  expect([asked.mock.calls.length, Source.opened.length]).toEqual([10, 2]);
  answers = async () => new Response("{}") as never;
  await vi.advanceTimersByTimeAsync(1500);
  expect(connection()).toBe("fine");
  expect(Source.opened.slice(2).map(({ url }) => new URL(url).search)).toEqual(["?after=9", "?kind=llm&after=9"]);
  asked.mockClear();
  await vi.advanceTimersByTimeAsync(15_000);
  expect(asked).not.toHaveBeenCalled();
  vi.useRealTimers();
});

it("says nothing of a stream that ends and comes again", async () => {
  vi.useFakeTimers();
  const states: string[] = [];
  vi.stubGlobal("fetch", async () => new Response("{}"));
  stop = follow({}, 1, listener);
  Source.opened[0]?.dispatchEvent(new Event("error"));
  for (let at = 0; at < 10; at++) {
    await vi.advanceTimersByTimeAsync(100);
    states.push(connection());
  }
  expect(new Set(states)).toEqual(new Set(["fine"]));
  expect(Source.opened).toHaveLength(2);
  vi.useRealTimers();
});

it("takes a backlog that is too long for a gap", () => {
  stop = follow({}, 0, listener);
  for (let seq = 1; seq <= 5001; seq++) Source.opened[0]?.say("span", String(seq), { span_id: String(seq) });
  expect(told.gaps).toBe(1);
  frames.shift()?.(0);
  expect(told.spans).toEqual([]);
});

it("asks ever less often for a stream that is refused, and says that the server has none to give", async () => {
  vi.useFakeTimers();
  vi.stubGlobal("fetch", async () => new Response("{}"));
  stop = follow({}, 1, listener);
  const refuse = () => {
    const source = Source.opened.at(-1);
    source?.close();
    source?.dispatchEvent(new Event("error"));
  };
  refuse();
  await vi.advanceTimersByTimeAsync(1000);
  expect([Source.opened.length, connection()]).toEqual([2, "fine"]);
  refuse();
  await vi.advanceTimersByTimeAsync(1999);
  expect(Source.opened.length).toBe(2);
  await vi.advanceTimersByTimeAsync(1);
  expect([Source.opened.length, connection()]).toEqual([3, "crowded"]);
  Source.opened[2]?.dispatchEvent(new Event("open"));
  expect(connection()).toBe("fine");
  vi.useRealTimers();
});

it("takes a 503 for the server's own only where it says what is wrong", async () => {
  const answer = (body: string) => vi.stubGlobal("fetch", async () => new Response(body, { status: 503 }));
  stop = () => {};
  answer('{"ready": false, "problems": ["the disk is full"]}');
  expect(await probe(AbortSignal.timeout(1000))).toBe("troubled");
  answer('{"title": "Service Unavailable", "detail": "shutting down; retry"}');
  expect(await probe(AbortSignal.timeout(1000))).toBe("lost");
  answer("<h1>503 Service Temporarily Unavailable</h1>");
  expect(await probe(AbortSignal.timeout(1000))).toBe("lost");
});

it("asks for nothing more once it was stopped", async () => {
  vi.useFakeTimers();
  const asked = vi.fn(async () => new Response("{}"));
  vi.stubGlobal("fetch", asked);
  stop = follow({}, 1, listener);
  for (const hidden of [false, true, false]) {
    const source = Source.opened.at(-1);
    source?.close();
    source?.dispatchEvent(new Event("error"));
    hide(hidden);
  }
  stop();
  asked.mockClear();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(Source.opened.every(({ readyState }) => readyState === Source.CLOSED)).toBe(true);
  expect(asked).not.toHaveBeenCalled();
  vi.useRealTimers();
});
