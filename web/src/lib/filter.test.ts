import { describe, expect, it } from "vitest";
import { parseSearch, stringifySearch } from "./address";
import { filterOf, queryOf } from "./filter";

const NOW = Date.UTC(2026, 10, 22, 12, 0, 0, 250);

describe("filterOf", () => {
  it("reads what the address holds", () => {
    const search = parseSearch("?kind=llm&kind=tool&status=error&agent=planner&min_duration_ms=5&attr=a%3Db%3Dc&q=x");
    expect(filterOf(search)).toEqual({
      kind: ["llm", "tool"],
      status: ["error"],
      agent: "planner",
      min_duration_ms: 5,
      attr: ["a=b=c"],
      q: "x",
    });
  });

  it("leaves out what is not of the form it takes", () => {
    const search = parseSearch(
      "?kind=spoon&min_duration_ms=-1&max_cost_usd=NaN&since=whenever&attr=novalue&view=graph&__proto__=x",
    );
    expect(filterOf(search)).toEqual({});
  });

  it("takes no time that the API would refuse", () => {
    expect(filterOf(parseSearch("?since=Nov+22+2026&until=later"))).toEqual({});
    expect(filterOf(parseSearch("?since=2026&until=2026-11-22T10:00:00.5%2B01:00"))).toEqual({
      since: "2026",
      until: "2026-11-22T10:00:00.5+01:00",
    });
  });

  it("keeps one value for each attribute, the last", () => {
    expect(filterOf(parseSearch("?attr=k=a&attr=j=c&attr=k=b"))).toEqual({ attr: ["k=b", "j=c"] });
  });

  it("survives a round trip through the address", () => {
    const filter = filterOf(
      parseSearch("?status=ok&status=lost&name=a%26b%3D%23&since=24h&until=2026-01-01T00:00:00Z"),
    );
    expect(filterOf(parseSearch(stringifySearch({ ...filter })))).toEqual(filter);
  });
});

describe("queryOf", () => {
  it("counts relative times back from now in whole seconds", () => {
    expect(queryOf({ since: "15m" }, NOW)).toEqual({ since: "2026-11-22T11:45:00.000Z" });
  });

  it("hands absolute times on as they are", () => {
    expect(queryOf({ since: "1700000000000000000" }, NOW)).toEqual({ since: "1700000000000000000" });
  });

  it("spells attributes as the API does", () => {
    expect(queryOf({ attr: ["gen_ai.provider.name=openai", "odd=a=b"] }, NOW)).toEqual({
      "attr.gen_ai.provider.name": "openai",
      "attr.odd": "a=b",
    });
  });
});

describe("stringifySearch", () => {
  it("leaves out what is not set", () => {
    expect(stringifySearch({ a: undefined, b: null, c: false, d: [], e: "x y", f: 0 })).toBe("?e=x+y&f=0");
  });

  it("is empty for nothing", () => {
    expect(stringifySearch({})).toBe("");
  });
});
