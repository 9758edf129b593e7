import { cleanup, render } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { RunningTime } from "./running-time";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

test("the time of what runs is drawn ten times a second, not once a frame", () => {
  const start = Date.now();
  const now = vi.fn(() => Date.now() - start);
  const { container } = render(<RunningTime now={now} />);
  now.mockClear();
  vi.advanceTimersByTime(2000);
  expect(now).toHaveBeenCalledTimes(20);
  expect(container.textContent).toBe("2.00 s");
});

test("the clock of what runs stands still once nothing does", () => {
  const { unmount } = render(<RunningTime now={() => 0} />);
  expect(vi.getTimerCount()).toBe(1);
  unmount();
  expect(vi.getTimerCount()).toBe(0);
});
