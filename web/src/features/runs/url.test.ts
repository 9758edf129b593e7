import { describe, expect, it } from "vitest";
import { orderIn, sortedBy } from "@/lib/sort";
import { filterIn, type RunsSearch, runsSearch } from "./url";

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
