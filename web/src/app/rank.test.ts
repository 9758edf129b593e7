import { describe, expect, it } from "vitest";
import { fitness, ranked } from "./rank";

const order = (typed: string, texts: string[]) => ranked(typed, texts, (text) => text);

describe("ranking what somebody types", () => {
  it("keeps everything in order when nothing is typed", () => {
    expect(order("  ", ["b", "a"])).toEqual(["b", "a"]);
  });

  it("leaves out what lacks one of the words", () => {
    expect(order("go runs", ["Go to runs", "Go to stats"])).toEqual(["Go to runs"]);
  });

  it("puts the beginning of the text before the beginning of a word, and that before its inside", () => {
    expect(order("run", ["a prune", "the run", "runs"])).toEqual(["runs", "the run", "a prune"]);
  });

  it("finds letters in order that begin words or follow inside one", () => {
    for (const typed of ["thm", "td", "thda", "tdk"]) expect(fitness(typed, "Theme: dark"), typed).toBeGreaterThan(0);
    for (const typed of ["hm", "tk", "dt", "tda x"]) expect(fitness(typed, "Theme: dark"), typed).toBe(0);
    expect(fitness("sear", "Theme: system dark")).toBe(0);
  });

  it("puts the shorter of two equals first", () => {
    expect(order("search", ["search_flights_everywhere", "search_flights"])[0]).toBe("search_flights");
  });

  it("takes names as they are written: with underscores, dots, slashes and any script", () => {
    expect(fitness("flights", "search_flights")).toBeGreaterThan(fitness("lights", "search_flights"));
    expect(fitness("4.1", "openai/gpt-4.1")).toBeGreaterThan(0);
    expect(fitness("поиск", "Поиск рейсов")).toBeGreaterThan(0);
  });

  it("reads every character as itself, never as a pattern", () => {
    expect(fitness(".*", "anything")).toBe(0);
    expect(fitness("(", "f(x)")).toBeGreaterThan(0);
  });

  it("never ranks a text that does not hold the letters", () => {
    for (const text of ["", "abc", "a b c", "__proto__"]) expect(fitness("zq", text)).toBe(0);
  });
});
