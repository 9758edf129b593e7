import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { renderHook, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import { sampleRow } from "@/lib/samples.test-data";
import type { SpanRow } from "@/lib/spans";
import { useSpan } from "./use-span";

const SPAN = "0000000000000001";
const TRACE = "0".repeat(32);

// The client takes the browser's `fetch` when it is imported.
const asked = vi.hoisted(() => {
  const queries: string[] = [];
  globalThis.fetch = async (request) => {
    queries.push(new URL((request as Request).url).search);
    return Response.json({ status: "ok", output: `answer ${queries.length}` });
  };
  return queries;
});

beforeEach(() => {
  asked.length = 0;
});

function look(first: SpanRow) {
  const queries = new QueryClient();
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={queries}>{children}</QueryClientProvider>
  );
  return renderHook(({ row }) => useSpan(TRACE, SPAN, row), { wrapper, initialProps: { row: first } });
}

test("a span is read again when its row says anything new, such as what it cost or which model answered", async () => {
  const row = sampleRow(SPAN, null, { kind: "llm", traceId: TRACE });
  const { result, rerender } = look(row);
  await waitFor(() => expect(result.current.span?.output).toBe("answer 1"));
  let answers = 1;
  for (const news of [{ costUsd: 0.5 }, { outputTokens: 7 }, { model: "other" }, { errorType: "KeyError" }]) {
    rerender({ row: { ...row, ...news } });
    answers++;
    await waitFor(() => expect(result.current.span?.output).toBe(`answer ${answers}`));
  }
});

test("a span is not read again for what is read out of the messages of its run", async () => {
  const row = sampleRow(SPAN, null, { kind: "llm", traceId: TRACE });
  const { result, rerender } = look(row);
  await waitFor(() => expect(result.current.span?.output).toBe("answer 1"));
  rerender({ row: { ...row, turn: { conversation: "1", sizes: {}, asks: [] } } });
  rerender({ row: { ...row, costUsd: 0.5 } });
  await waitFor(() => expect(result.current.span?.output).toBe("answer 2"));
  expect(asked).toHaveLength(2);
});

test("values that were left out for their length come when they are asked for", async () => {
  const { result } = look(sampleRow(SPAN, null, { traceId: TRACE }));
  await waitFor(() => expect(result.current.span).not.toBeNull());
  expect(asked[0]).toContain("clip=200000");
  result.current.loadWhole();
  await waitFor(() => expect(result.current.span?.output).toBe("answer 2"));
  expect(asked[1]).not.toContain("clip");
});
