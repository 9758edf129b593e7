import { QueryClient, QueryClientProvider, useInfiniteQuery } from "@tanstack/react-query";
import { cleanup, renderHook, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type ItemRules, itemsOf, type ListPage } from "@/lib/list-pages";
import type { SpanEvent } from "./client";
import type { PagePlace } from "./lists";
import { LIVE, useLiveList } from "./use-live-list";

vi.hoisted(() => {
  // The client keeps the `fetch` that it finds when it is imported.
  globalThis.fetch = async () => new Response(JSON.stringify({ ready: true, seq: 100, problems: [] }));
});
let streams: Source[] = [];

class Source extends EventTarget {
  static readonly CLOSED = 2;
  readonly url: string;
  readyState = 1;
  constructor(url: string) {
    super();
    this.url = url;
    streams.push(this);
  }
  close() {
    this.readyState = Source.CLOSED;
  }
  say(seq: number, session_id: string | null) {
    const data = JSON.stringify({ seq, session_id, trace_id: "t", span_id: "s" });
    this.dispatchEvent(new MessageEvent("span", { data, lastEventId: String(seq) }));
  }
  gap(seq: number) {
    this.dispatchEvent(new MessageEvent("gap", { data: "{}", lastEventId: String(seq) }));
  }
}

interface Item {
  id: string;
  seq: number;
  status: string;
  tokens: number;
}

const SIZE = 3;
const RULES: ItemRules<Item> = { idOf: ({ id }) => id, timeOf: () => null, valueOf: ({ tokens }) => tokens };

/** A list of twelve items on a page with three loaded pages, and a log of its requests. */
async function showThreePages(change: (item: Item) => Item = (item) => item) {
  const store = new Map<string, Item>();
  for (let at = 0; at < 12; at++) store.set(`i${at}`, change({ id: `i${at}`, seq: 1, status: "ok", tokens: 12 - at }));
  const asked: string[] = [];
  const page = async ({ cursor, nowMs }: PagePlace): Promise<ListPage<Item>> => {
    asked.push(`page ${cursor ?? 0}`);
    const from = Number(cursor ?? 0);
    const items = [...store.values()].slice(from, from + SIZE);
    return { items, next_cursor: from + SIZE < store.size ? String(from + SIZE) : null, nowMs };
  };
  const item = async (id: string) => {
    asked.push(`item ${id}`);
    return store.get(id) ?? null;
  };
  const queries = new QueryClient();
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={queries}>{children}</QueryClientProvider>
  );
  const { result } = renderHook(
    () => {
      const query = useInfiniteQuery({
        queryKey: ["list"],
        queryFn: ({ pageParam }) => page({ cursor: pageParam, nowMs: 0 }),
        initialPageParam: null as string | null,
        getNextPageParam: ({ next_cursor }) => next_cursor,
        ...LIVE,
      });
      useLiveList<Item>({
        queryKey: ["list"],
        by: { sort: "tokens", order: "desc" },
        rules: RULES,
        first: page,
        ownerOf: (span: SpanEvent) => span.session_id,
        ownerIn: ({ id }) => id,
        item,
      });
      return query;
    },
    { wrapper },
  );
  await waitFor(() => expect(result.current.data?.pages).toHaveLength(1));
  await waitFor(() => expect(streams).toHaveLength(1));
  // Anything requested before the stream was open is requested once more.
  await waitFor(() => expect(asked).toEqual(["page 0", "page 0"]));
  await result.current.fetchNextPage();
  await result.current.fetchNextPage();
  await waitFor(() => expect(result.current.data?.pages).toHaveLength(3));
  asked.length = 0;
  const shown = () => itemsOf(result.current.data, RULES.idOf);
  return { store, asked, shown, stream: streams[0] as Source };
}

beforeEach(() => {
  streams = [];
  vi.stubGlobal("EventSource", Source);
});

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it("asks for its first page and for the changed items below it, and for no other page", async () => {
  const { store, asked, shown, stream } = await showThreePages();
  expect(new URL(stream.url).search).toBe("?after=100");
  store.set("i0", { id: "i0", seq: 101, status: "ok", tokens: 50 });
  store.set("i7", { id: "i7", seq: 102, status: "ok", tokens: 4.5 });
  stream.say(101, "i0");
  stream.say(102, "i7");
  stream.say(103, "i11");
  stream.say(104, null);
  await waitFor(() => expect(shown().find(({ id }) => id === "i7")?.tokens).toBe(4.5));
  expect(shown()[0]?.tokens).toBe(50);
  expect(shown()).toHaveLength(9);
  expect(asked).toEqual(["page 0", "item i7"]);
});

it("lets go of an item below its first page that is there no longer", async () => {
  const { store, shown, stream } = await showThreePages();
  store.delete("i7");
  stream.say(101, "i7");
  await waitFor(() => expect(shown().map(({ id }) => id)).toEqual(["i0", "i1", "i2", "i3", "i4", "i5", "i6", "i8"]));
});

it("asks after a gap for what may have changed unheard: what still ran", async () => {
  const runs = (item: Item) => (item.id === "i5" ? { ...item, status: "running" } : item);
  const { asked, stream } = await showThreePages(runs);
  stream.gap(400);
  await waitFor(() => expect(asked).toEqual(["page 0", "item i5"]));
});
