import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { renderHook } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { inferredEvent } from "@/api/inferred";
import { INFERRED } from "@/lib/inferred";
import { sampleRow } from "@/lib/samples.test-data";
import { useInferredEvents } from "./use-conversations";

afterEach(() => void vi.useRealTimers());

const tool = sampleRow("7", null, {
  kind: "tool",
  traceId: INFERRED,
  inferred: { what: "tool", name: "look", arguments: '{"id":1}', result: "done", asking: "1", next: "2" },
});

const queries = new QueryClient();

function Provider({ children }: { children: ReactNode }) {
  return <QueryClientProvider client={queries}>{children}</QueryClientProvider>;
}

test("an inferred span is there for as long as its page is, and no longer", async () => {
  vi.useFakeTimers();
  const { unmount } = renderHook(() => useInferredEvents([tool], "0"), { wrapper: Provider });
  vi.advanceTimersByTime(24 * 3_600_000);
  expect(await inferredEvent(queries, "7")).toMatchObject({ input: { id: 1 }, output: "done", trace_id: INFERRED });
  unmount();
  await expect(inferredEvent(queries, "7")).rejects.toThrow("no longer available");
});

test("a recorded span is not answered as an inferred one", async () => {
  const recorded = sampleRow("8");
  const { unmount } = renderHook(() => useInferredEvents([recorded], "0"), { wrapper: Provider });
  await expect(inferredEvent(queries, "8")).rejects.toThrow("no longer available");
  unmount();
});
