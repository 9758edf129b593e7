import { describe, expect, it } from "vitest";
import { type FullSpan, fullSpan } from "@/lib/full-span";
import { type Copied, pythonCall } from "./copy-call";
import { KEY } from "./semconv";

function call(changes: Partial<FullSpan>, reference: string | null = "shop.desk:refund.func"): FullSpan {
  return fullSpan({
    trace_id: "a".repeat(32),
    span_id: "b".repeat(16),
    kind: "tool",
    name: "execute_tool refund",
    status: "ok",
    tool: "refund",
    input: {},
    attributes: reference === null ? {} : { [KEY.toolReference]: reference },
    ...changes,
  });
}

const textOf = (copied: Copied) => ("text" in copied ? copied.text : copied.why);
const lineOf = (span: FullSpan) => /answer\(refund\.func\((.*)\)\)\)\)\n$/s.exec(textOf(pythonCall(span)))?.[1];

describe("a tool call as Python", () => {
  it("imports the function and names its arguments", () => {
    const text = textOf(pythonCall(call({ input: { invoice: "A-17", amount: 2, paid: false, note: null } })));
    expect(text).toContain("from shop.desk import refund\n");
    expect(text).toContain('refund.func(\n    invoice="A-17",\n    amount=2,\n    paid=False,\n    note=None,\n))))\n');
  });

  it("takes arguments without any, and those whose names are no names", () => {
    expect(lineOf(call({ input: {} }))).toBe("");
    expect(lineOf(call({ input: { "in voice": [1, { from: true }] } }))).toBe('**{"in voice": [1, {"from": True}]}');
    expect(lineOf(call({ input: { class: 1 } }))).toBe('**{"class": 1}');
  });

  it("shows what hides in a text by its code", () => {
    expect(lineOf(call({ input: { a: "x\u202ey\u{e0001}\n\"'\\" } }))).toBe(
      String.raw`
    a="x\u202ey\U000e0001\n\"'\\",
`,
    );
  });

  it.each([
    ["a line break", "shop:refund\nimport os"],
    ["a call", "shop:refund()"],
    ["no module", ":refund"],
    ["no attribute", "shop:"],
    ["another form", "shop.refund"],
    ["nothing", null],
  ])("takes no reference with %s", (_, reference) => {
    expect(pythonCall(call({}, reference))).toEqual({ why: "no Python function is recorded for it" });
  });

  it("says why there is none", () => {
    const nested = call({ attributes: { [KEY.toolUnreachable]: "nested" } });
    expect(textOf(pythonCall(nested))).toBe("its function is defined inside another function");
    const strange = call({ attributes: { [KEY.toolUnreachable]: "toString" } });
    expect(textOf(pythonCall(strange))).toBe("no Python function is recorded for it");
    expect(textOf(pythonCall(call({ clipped: { input: 9 } })))).toBe("load its long values first");
    expect(textOf(pythonCall(call({ input: [1] })))).toBe("its arguments are not recorded as an object");
    expect(textOf(pythonCall(call({ input: { key: "[redacted:api key#00ff]" } })))).toContain("redacted");
    let deep: unknown = 1;
    for (let at = 0; at < 10_000; at++) deep = [deep];
    expect(textOf(pythonCall(call({ input: { deep } })))).toContain("too deeply");
  });
});

describe("a call of an MCP server's tool as Python", () => {
  const client = (attributes: Record<string, unknown>) =>
    textOf(pythonCall(call({ input: { zone: "x" }, attributes: { "gen_ai.tool.type": "extension", ...attributes } })));

  it("starts the server by its command", () => {
    const text = client({ "inspector.rpc.server_command": ["python", "a b.py", '"); evil("'] });
    expect(text).toContain("from mcp import Client, StdioServerParameters\n");
    expect(text).toContain(String.raw`StdioServerParameters(command="python", args=["a b.py", "\"); evil(\""])`);
    expect(text).toContain('client.call_tool("refund", {"zone": "x"})');
  });

  it("calls the server at its address", () => {
    expect(client({ "url.full": "http://127.0.0.1:8000/mcp" })).toContain('server = "http://127.0.0.1:8000/mcp"\n');
    const sse = client({ "url.full": "http://127.0.0.1:8000/sse", "mcp.rpc.transport": "sse" });
    expect(sse).toContain('server = sse_client("http://127.0.0.1:8000/sse")\n');
    expect(sse).toContain("from mcp.client.sse import sse_client\n");
  });

  it("says why there is none", () => {
    expect(client({})).toContain("MCP server");
    expect(client({ "inspector.rpc.server_command": ["x", "[redacted:key]"] })).toContain("redacted");
  });
});
