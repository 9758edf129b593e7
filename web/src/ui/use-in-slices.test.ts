import { act, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Steps } from "@/lib/steps";
import { useInSlices } from "./use-in-slices";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function* last(list: readonly number[]): Steps<number> {
  yield;
  yield;
  return list.length;
}

const list = (length: number) => [...Array(length).keys()];

function show(length: number) {
  return renderHook(({ rows }) => useInSlices(rows, rows.length, last), { initialProps: { rows: list(length) } });
}

test("of a short list there is the newest at once", () => {
  const { result, rerender } = show(1);
  rerender({ rows: list(2) });
  expect(result.current).toBe(2);
});

test("of a long list there is the first at once, and a newer one when it is ready", () => {
  const { result, rerender } = show(10_000);
  expect(result.current).toBe(10_000);
  rerender({ rows: list(10_001) });
  expect(result.current).toBe(10_000);
  act(() => void vi.runAllTimers());
  expect(result.current).toBe(10_001);
});

test("a list that becomes long goes on from what it was last", () => {
  const { result, rerender } = show(1);
  rerender({ rows: list(2_000) });
  rerender({ rows: list(2_001) });
  expect(result.current).toBe(2_000);
  act(() => void vi.runAllTimers());
  expect(result.current).toBe(2_001);
});

test("changes that come while one is worked on neither hold it up nor are lost", () => {
  const { result, rerender } = show(5_000);
  rerender({ rows: list(5_001) });
  rerender({ rows: list(5_002) });
  rerender({ rows: list(5_003) });
  act(() => void vi.advanceTimersToNextTimer());
  expect(result.current).toBe(5_001);
  act(() => void vi.runAllTimers());
  expect(result.current).toBe(5_003);
});

test("nothing goes on once nobody looks", () => {
  const { rerender, unmount } = show(5_000);
  rerender({ rows: list(5_001) });
  unmount();
  expect(vi.getTimerCount()).toBe(0);
});
