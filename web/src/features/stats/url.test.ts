import { describe, expect, it } from "vitest";
import { parseSearch } from "@/lib/address";
import { rankedBy, statsSearch, withFilter } from "./url";

const read = (text: string) => statsSearch(parseSearch(text));

describe("the address of the stats", () => {
  it("holds a filter, what is counted, how it is ranked and how it is shown", () => {
    expect(read("?since=24h&of=traces&rank=p95&order=asc&charts=table")).toEqual({
      since: "24h",
      of: "runs",
      rank: "p95",
      order: "asc",
      charts: "table",
    });
  });

  it("leaves out what goes without saying, and what is of no use", () => {
    expect(read("?of=events&rank=count&order=desc&charts=bars")).toEqual({});
    expect(read("?of=sessions&rank=__proto__")).toEqual({});
  });

  it("ranks by a column the largest first, then the smallest, then the largest again", () => {
    const first = rankedBy(read("?since=1h"), "cost");
    expect(first).toEqual({ since: "1h", rank: "cost" });
    const second = rankedBy(first, "cost");
    expect(second).toEqual({ since: "1h", rank: "cost", order: "asc" });
    expect(rankedBy(second, "cost")).toEqual(first);
    expect(rankedBy(second, "count")).toEqual({ since: "1h" });
  });

  it("keeps how it is shown under another filter", () => {
    expect(withFilter(read("?agent=a&of=traces&charts=table"), {})).toEqual({ of: "runs", charts: "table" });
  });
});
