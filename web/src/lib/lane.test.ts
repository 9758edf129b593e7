import { describe, expect, it } from "vitest";
import { laneOf } from "./lane";

const NEVER = new AbortController().signal;

function job() {
  let started = false;
  let finish = (_value: string) => {};
  let fail = (_error: Error) => {};
  const done = new Promise<string>((resolve, reject) => {
    finish = resolve;
    fail = reject;
  });
  return {
    run: () => {
      started = true;
      return done;
    },
    started: () => started,
    finish,
    fail,
  };
}

const settle = () => new Promise((go) => setTimeout(go, 0));

describe("a lane", () => {
  it("lets so many jobs run side by side, and the others in their order", async () => {
    const lane = laneOf(2);
    const jobs = [job(), job(), job(), job()];
    const ends = jobs.map((each) => lane(each.run, NEVER));
    await settle();
    expect(jobs.map((each) => each.started())).toEqual([true, true, false, false]);
    jobs[1]?.finish("b");
    expect(await ends[1]).toBe("b");
    await settle();
    expect(jobs.map((each) => each.started())).toEqual([true, true, true, false]);
  });

  it("goes on after a job that failed", async () => {
    const lane = laneOf(1);
    const [first, second] = [job(), job()];
    const ends = [lane(first.run, NEVER), lane(second.run, NEVER)];
    await settle();
    first.fail(new Error("no"));
    await expect(ends[0]).rejects.toThrow("no");
    await settle();
    second.finish("yes");
    expect(await ends[1]).toBe("yes");
  });

  it("never runs a job that was given up while it waited, and keeps its place free", async () => {
    const lane = laneOf(1);
    const [first, second, third] = [job(), job(), job()];
    const abort = new AbortController();
    const ends = [lane(first.run, NEVER), lane(second.run, abort.signal), lane(third.run, NEVER)];
    await settle();
    abort.abort();
    await expect(ends[1]).rejects.toThrow();
    first.finish("a");
    await settle();
    expect([second.started(), third.started()]).toEqual([false, true]);
    third.finish("c");
    expect(await ends[2]).toBe("c");
  });

  it("never runs a job that was given up before", async () => {
    const given = job();
    await expect(laneOf(1)(given.run, AbortSignal.abort())).rejects.toThrow();
    expect(given.started()).toBe(false);
  });
});
