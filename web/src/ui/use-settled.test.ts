import { act, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { useSettled } from "./use-settled";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const list = (length: number) => [...Array(length).keys()];

test("a short list is passed on with each change", () => {
  const { result, rerender } = renderHook(({ rows }) => useSettled(rows), { initialProps: { rows: list(1) } });
  rerender({ rows: list(2) });
  expect(result.current).toHaveLength(2);
});

test("a long list is there at once, then follows at its own pace, and the last change is never missed", () => {
  const { result, rerender } = renderHook(({ rows }) => useSettled(rows), { initialProps: { rows: list(0) } });
  rerender({ rows: list(10_000) });
  expect(result.current).toHaveLength(10_000);
  act(() => void vi.advanceTimersByTime(2000));
  for (let more = 1; more <= 10; more++) {
    rerender({ rows: list(10_000 + more) });
    act(() => void vi.advanceTimersByTime(16));
  }
  expect(result.current.length).toBeLessThan(10_010);
  act(() => void vi.advanceTimersByTime(2000));
  expect(result.current).toHaveLength(10_010);
});

test("a list that grows past the length where it slows down never gets shorter", () => {
  const { result, rerender } = renderHook(({ rows }) => useSettled(rows), { initialProps: { rows: list(3) } });
  const seen: number[] = [];
  for (const length of [500, 1_500, 2_000, 2_001, 2_002, 2_500]) {
    rerender({ rows: list(length) });
    seen.push(result.current.length);
    act(() => void vi.advanceTimersByTime(80));
  }
  expect(seen.toSorted((a, b) => a - b)).toEqual(seen);
  act(() => void vi.advanceTimersByTime(2_000));
  expect(result.current).toHaveLength(2_500);
});

test("a list that becomes short again is followed at once", () => {
  const { result, rerender } = renderHook(({ rows }) => useSettled(rows), { initialProps: { rows: list(5_000) } });
  rerender({ rows: list(1) });
  expect(result.current).toHaveLength(1);
  rerender({ rows: list(5_000) });
  expect(result.current).toHaveLength(1);
  act(() => void vi.advanceTimersByTime(1_000));
  expect(result.current).toHaveLength(5_000);
});
