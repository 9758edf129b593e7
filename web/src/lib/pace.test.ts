import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { paced } from "./pace";

describe("paced", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("runs the first request at once and gathers the others until the pause is over", async () => {
    const job = vi.fn(async () => {});
    const pace = paced(job, 300);
    for (let turn = 0; turn < 10; turn++) pace.ask();
    expect(job).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(299);
    expect(job).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(job).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(5000);
    expect(job).toHaveBeenCalledTimes(2);
  });

  it("runs at once again after a quiet time", async () => {
    const job = vi.fn(async () => {});
    const pace = paced(job, 300);
    pace.ask();
    await vi.advanceTimersByTimeAsync(1000);
    pace.ask();
    expect(job).toHaveBeenCalledTimes(2);
  });

  it("never runs beside itself, and pauses longer after a slow run", async () => {
    let running = 0;
    let most = 0;
    const job = vi.fn(async () => {
      most = Math.max(most, ++running);
      await new Promise((done) => setTimeout(done, 1000));
      running--;
    });
    const pace = paced(job, 300);
    const asking = setInterval(pace.ask, 50);
    pace.ask();
    await vi.advanceTimersByTimeAsync(3999);
    expect(job).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(8001);
    expect(job).toHaveBeenCalledTimes(4);
    expect(most).toBe(1);
    clearInterval(asking);
  });

  it("goes on after a run that failed, and not after it was stopped", async () => {
    const job = vi.fn(() => Promise.reject(new Error("no")));
    const pace = paced(job, 300);
    pace.ask();
    pace.ask();
    await vi.advanceTimersByTimeAsync(300);
    expect(job).toHaveBeenCalledTimes(2);
    pace.ask();
    pace.stop();
    await vi.advanceTimersByTimeAsync(1000);
    expect(job).toHaveBeenCalledTimes(2);
  });
});
