import { describe, expect, it } from "vitest";
import { parseSearch } from "@/lib/address";
import { eventsSearch, withFilter, withoutSpan } from "./url";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";
const read = (text: string) => eventsSearch(parseSearch(text));

describe("the address of the events", () => {
  it("holds a filter, how it is sorted and the span that is looked at", () => {
    expect(read(`?status=error&sort=cost&order=asc&span=${SPAN}&trace=${TRACE}&tab=raw`)).toEqual({
      status: ["error"],
      sort: "cost",
      order: "asc",
      span: SPAN,
      trace: TRACE,
      tab: "raw",
    });
  });

  it("leaves out a span without its trace, ids that are none, and an order of nothing", () => {
    expect(read(`?span=${SPAN}`)).toEqual({});
    expect(read(`?span=${SPAN}&trace=xyz`)).toEqual({});
    expect(read(`?span=../../x&trace=${TRACE}`)).toEqual({});
    expect(read("?sort=name&order=asc")).toEqual({});
  });

  it("keeps what is looked at under another filter", () => {
    const search = read(`?agent=a&sort=duration&span=${SPAN}&trace=${TRACE}`);
    expect(withFilter(search, { tool: "t" })).toEqual({ tool: "t", sort: "duration", span: SPAN, trace: TRACE });
    expect(withoutSpan(search)).toEqual({ agent: "a", sort: "duration" });
  });
});
