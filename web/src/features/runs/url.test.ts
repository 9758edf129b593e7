import { describe, expect, it } from "vitest";
import { orderIn, sortedBy } from "@/lib/sort";
import { filterIn, type RunsSearch, runsSearch, soughtIn } from "./url";

describe("runsSearch", () => {
  it("keeps the filter and how it is shown, and nothing that the API would refuse", () => {
    const search = { agent: "a", trace_id: "b", parent_id: "c", sort: "cost", order: "asc", group: "session", x: "1" };
    expect(runsSearch(search)).toEqual({ agent: "a", sort: "cost", order: "asc" });
    expect(runsSearch({ sort: "name", order: "up", group: "agent" })).toEqual({});
  });

  it("parts the filter from how it is shown", () => {
    expect(filterIn({ agent: "a", sort: "cost", order: "asc" })).toEqual({ agent: "a" });
  });
});

describe("soughtIn", () => {
  it("is the search, else the value of an argument or a result, as a phrase", () => {
    expect(soughtIn({ q: "rain", args: ["city=Oslo"] })).toBe("rain");
    expect(soughtIn({ args: ["city=New York"], result: ["temp=4"] })).toBe('"New York"');
    expect(soughtIn({ result: ['said=the "best"=x'] })).toBe('"the  best =x"');
    expect(soughtIn({ agent: "a" })).toBeUndefined();
  });

  it("is nothing where a value has no word", () => {
    expect(soughtIn({ args: ["sign=+"] })).toBeUndefined();
  });
});

describe("sortedBy", () => {
  it("goes from the largest to the smallest and back to the latest first", () => {
    const once = sortedBy<RunsSearch>({ agent: "a" }, "duration");
    const twice = sortedBy(once, "duration");
    expect([once, twice, sortedBy(twice, "duration")].map(orderIn)).toEqual([
      { sort: "duration", order: "desc" },
      { sort: "duration", order: "asc" },
      { sort: "time", order: "desc" },
    ]);
    expect(sortedBy(twice, "duration")).toEqual({ agent: "a" });
  });

  it("turns the time around at the first click, as it is sorted by it already", () => {
    expect(sortedBy({}, "time")).toEqual({ order: "asc" });
    expect(sortedBy({ order: "asc" }, "time")).toEqual({});
    expect(sortedBy({ sort: "cost", order: "asc" }, "time")).toEqual({});
  });
});
