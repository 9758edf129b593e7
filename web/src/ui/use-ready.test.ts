import { act, cleanup, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { useReady } from "./use-ready";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

function held(hasRows: boolean, waiting: boolean) {
  return renderHook(({ rows, wait }) => useReady(rows, wait), { initialProps: { rows: hasRows, wait: waiting } });
}

test("what has nothing to wait for is shown at once", () => {
  expect(held(true, false).result.current).toBe(true);
});

test("nothing is shown while there is nothing to show, however long it takes", () => {
  const { result } = held(false, false);
  act(() => void vi.advanceTimersByTime(5_000));
  expect(result.current).toBe(false);
});

test("what is waited for holds the first picture back until it is there", () => {
  const { result, rerender } = held(true, true);
  act(() => void vi.advanceTimersByTime(150));
  expect(result.current).toBe(false);
  rerender({ rows: true, wait: false });
  expect(result.current).toBe(true);
});

test("the first picture does not wait for longer than a moment, and later ones not at all", () => {
  const { result, rerender } = held(true, true);
  act(() => void vi.advanceTimersByTime(200));
  expect(result.current).toBe(true);
  rerender({ rows: true, wait: false });
  rerender({ rows: true, wait: true });
  expect(result.current).toBe(true);
});
