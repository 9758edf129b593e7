import { describe, expect, it } from "vitest";
import { traceSearch } from "./url";

describe("traceSearch", () => {
  it("keeps what it understands", () => {
    const search = {
      view: "graph",
      span: "0123456789abcdef",
      zoom: "10-20",
      find: "x",
      hide: ["rpc"],
      depth: 3,
      fold: "1",
      same: "0",
      as: "table",
      path: "1",
    };
    expect(traceSearch({ ...search, hide: "rpc", depth: "3" })).toEqual(search);
  });

  it("leaves out everything else, whatever form it takes", () => {
    const odd = {
      view: "waterfall",
      span: "0123456789ABCDEF",
      zoom: "20-10",
      find: ["a", "b"],
      hide: ["nonsense", 4],
      depth: "-1",
      fold: "yes",
      same: "1",
      as: "drawing",
      path: ["1"],
      __proto__: { polluted: true },
    };
    expect(traceSearch(odd)).toEqual({});
    expect(traceSearch({ depth: ["1", "2"], hide: {}, zoom: null })).toEqual({});
  });
});
