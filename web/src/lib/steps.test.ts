import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { finish, inSlices, type Steps } from "./steps";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Work in this many parts of three milliseconds each. */
function* counting(parts: number, done: number[] = []): Steps<number[]> {
  for (let part = 0; part < parts; part++) {
    vi.setSystemTime(Date.now() + 3);
    done.push(part);
    yield;
  }
  return done;
}

test("work is done at once where nothing waits for a rest", () => {
  expect(finish(counting(3))).toEqual([0, 1, 2]);
});

test("work in slices lets others have their turn every few milliseconds, and ends with its result", () => {
  const results: number[][] = [];
  const done: number[] = [];
  inSlices(counting(7, done), (result) => results.push(result));
  expect(done).toEqual([]);
  vi.spyOn(performance, "now").mockImplementation(() => Date.now());
  vi.advanceTimersToNextTimer();
  expect(done).toEqual([0, 1, 2]);
  expect(results).toEqual([]);
  vi.runAllTimers();
  expect(results).toEqual([[0, 1, 2, 3, 4, 5, 6]]);
});

test("work that is given up does nothing more", () => {
  const done: number[] = [];
  const onDone = vi.fn();
  const giveUp = inSlices(counting(100, done), onDone);
  vi.spyOn(performance, "now").mockImplementation(() => Date.now());
  vi.advanceTimersToNextTimer();
  giveUp();
  vi.runAllTimers();
  expect(done).toHaveLength(3);
  expect(onDone).not.toHaveBeenCalled();
});
