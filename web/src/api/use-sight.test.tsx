import { act, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { previewKey, useSight } from "./use-sight";

// The client takes the browser's `fetch` when it is imported.
const asked = vi.hoisted(() => {
  const spans: string[][] = [];
  globalThis.fetch = async (request) => {
    spans.push(new URL((request as Request).url).searchParams.getAll("span_id"));
    return Response.json({ items: [] });
  };
  return spans;
});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const rows = ["1", "2", "3"].map((id) => ({ trace_id: "a".repeat(32), span_id: id.repeat(16) }));
const callsOf = (row: (typeof rows)[number]) => [{ key: previewKey(row), running: false }];

test("previews are asked for once the list says which rows are in view, and of all of them at once", async () => {
  const { result } = renderHook(() => useSight(rows, callsOf));
  await act(() => vi.advanceTimersByTimeAsync(1000));
  expect(asked).toEqual([]);
  act(() => result.current.onSight(0, 1));
  await act(() => vi.advanceTimersByTimeAsync(1000));
  expect(asked).toEqual([["1".repeat(16), "2".repeat(16)]]);
});
