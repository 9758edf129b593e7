import { renderHook, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { useTrace } from "./use-trace";

const BASE = 1_700_000_000_000_000_000n;
const TRACE = { trace_id: "0".repeat(32), name: "run", kind: "workflow", status: "ok" };

/** One window of a trace as the API returns it: spans of 10 ms, by their offset from the start of the trace. */
function page(spans: Record<string, number>, cursor: string | null, base = BASE) {
  const ids = Object.keys(spans);
  const all = <T,>(value: T) => ids.map(() => value);
  return {
    trace: TRACE,
    seq: 7,
    start_time_unix_nano: String(base),
    tables: { kind: ["tool"], status: ["ok"], name: ["call"], agent: [], model: [], tool: [], error_type: [] },
    columns: {
      span_id: ids,
      parent_id: all(null),
      offset_ms: Object.values(spans),
      duration_ms: all(10),
      kind: all(0),
      status: all(0),
      name: all(0),
      agent: all(-1),
      model: all(-1),
      tool: all(-1),
      error_type: all(-1),
      input_tokens: all(null),
      output_tokens: all(null),
      cached_tokens: all(null),
      cost_usd: all(null),
      folded_into: all(null),
    },
    next_cursor: cursor,
  };
}

/** A server whose answers the test sets; the client keeps the `fetch` that it finds when it is imported. */
const server = vi.hoisted(() => {
  const answers: (() => Response)[] = [];
  globalThis.fetch = async () => (answers.shift() ?? (() => Response.error()))();
  return { answers };
});
let streams: string[] = [];
let alone: Set<EventTarget>;

class Source extends EventTarget {
  static readonly CLOSED = 2;
  readyState = 1;
  constructor(url: string) {
    super();
    streams.push(url);
    alone.add(this);
  }
  close() {
    alone.delete(this);
  }
}

const json =
  (body: unknown, status = 200) =>
  () =>
    new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });
const busy = json({ type: "about:blank", title: "Busy", status: 503, detail: "the database is busy" }, 503);

beforeEach(() => {
  server.answers.length = 0;
  streams = [];
  alone = new Set();
  vi.useFakeTimers({ shouldAdvanceTime: true });
  vi.stubGlobal("EventSource", Source);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("goes on after a window that the server was too busy for", async () => {
  server.answers.push(json(page({ a: 0 }, "more")), busy, json(page({ a: 0 }, "more")), json(page({ b: 5 }, null)));
  const { result } = renderHook(() => useTrace({ traceId: TRACE.trace_id }));
  await waitFor(() => expect(result.current.live.error?.message).toBe("the database is busy"));
  expect(result.current.live.rows.map((row) => row.id)).toEqual(["a"]);
  await vi.advanceTimersByTimeAsync(1500);
  await waitFor(() => expect(result.current.live.complete).toBe(true));
  expect(result.current.live.error).toBeNull();
  expect(result.current.live.rows.map((row) => row.id)).toEqual(["a", "b"]);
  expect(alone.size).toBe(1);
});

it("does not ask again for a run that is not there", async () => {
  server.answers.push(
    json({ type: "about:blank", title: "Not found", status: 404, detail: "there is no such trace" }, 404),
  );
  const { result } = renderHook(() => useTrace({ traceId: TRACE.trace_id }));
  await waitFor(() => expect(result.current.live.error?.message).toBe("there is no such trace"));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(result.current.live.error?.message).toBe("there is no such trace");
  expect(streams).toEqual([]);
});

it("counts all windows from one start, though an earlier span came between them", async () => {
  server.answers.push(json(page({ a: 0 }, "more")), json(page({ b: 1010 }, null, BASE - 1_000_000_000n)));
  const { result } = renderHook(() => useTrace({ traceId: TRACE.trace_id }));
  await waitFor(() => expect(result.current.live.complete).toBe(true));
  expect(result.current.live.rows.map((row) => [row.id, row.startMs])).toEqual([
    ["a", 0],
    ["b", 10],
  ]);
});

it("follows from the change that the first window was of", async () => {
  server.answers.push(json(page({ a: 0 }, null)));
  const { unmount } = renderHook(() => useTrace({ traceId: TRACE.trace_id }));
  await waitFor(() => expect(streams).toHaveLength(1));
  expect(new URL(streams[0] ?? "").search).toBe(`?trace_id=${TRACE.trace_id}&after=7`);
  unmount();
  expect(alone.size).toBe(0);
});

it("takes a call out of the sums when the stream says that another span counts for it", async () => {
  server.answers.push(json(page({ a: 0, b: 1 }, null)));
  const { result } = renderHook(() => useTrace({ traceId: TRACE.trace_id }));
  await waitFor(() => expect(alone.size).toBe(1));
  const [source] = alone;
  const say = (span_id: string, folded_into: string | null) => {
    const span = { span_id, parent_id: null, kind: "llm", status: "ok", name: "chat", input_tokens: 7, folded_into };
    const rest = { start_time_unix_nano: String(BASE), duration_ms: 1, output_tokens: null, cached_tokens: null };
    const event = { ...span, ...rest, agent: null, model: null, tool: null, cost_usd: 0.5, error: null };
    source?.dispatchEvent(new MessageEvent("span", { data: JSON.stringify(event) }));
  };
  say("a", null);
  say("b", null);
  await waitFor(() => expect(result.current.live.trace?.input_tokens).toBe(14));
  say("b", "a");
  await waitFor(() => expect(result.current.live.trace?.input_tokens).toBe(7));
  expect(result.current.live.trace).toMatchObject({ spans: 2, llm_calls: 1, cost_usd: 0.5 });
});
