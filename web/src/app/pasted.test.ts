import { describe, expect, it } from "vitest";
import { pasted } from "./pasted";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";

describe("reading what is pasted", () => {
  it("knows a trace id, also in capitals, with blanks around it or written as a UUID", () => {
    for (const text of [TRACE, ` ${TRACE.toUpperCase()}\n`, "0af76519-16cd-43dd-8448-eb211c80319c"]) {
      expect(pasted(text)).toEqual({ what: "trace", traceId: TRACE });
    }
  });

  it("knows a span id, and a span id beside its trace id", () => {
    expect(pasted(SPAN)).toEqual({ what: "span", spanId: SPAN, traceId: null });
    expect(pasted(`${TRACE} ${SPAN}`)).toEqual({ what: "span", spanId: SPAN, traceId: TRACE });
    expect(pasted(`${TRACE}:${SPAN}`)).toEqual({ what: "span", spanId: SPAN, traceId: TRACE });
  });

  it("knows a traceparent", () => {
    expect(pasted(`00-${TRACE}-${SPAN}-01`)).toEqual({ what: "span", spanId: SPAN, traceId: TRACE });
  });

  it("takes the page out of an address of the inspector, whatever host and prefix it has", () => {
    const path = `/traces/${TRACE}?span=${SPAN}`;
    expect(pasted(`http://127.0.0.1:7800/#${path}`)).toEqual({ what: "page", path });
    expect(pasted(`https://example.test/debug/inspector/#${path}`)).toEqual({ what: "page", path });
    expect(pasted("#/stats?status=error")).toEqual({ what: "page", path: "/stats?status=error" });
  });

  it("leaves everything else alone", () => {
    for (const text of [
      "",
      "search flights",
      "deadbeef",
      "javascript:alert(1)#//evil.test",
      "#/somewhere/else",
      `#/traces/${TRACE}/../../x`,
      `${TRACE} ${TRACE}`,
      `${TRACE} ${SPAN} ${SPAN}`,
      `${SPAN} plan`,
    ]) {
      expect(pasted(text), text).toBeNull();
    }
  });
});
