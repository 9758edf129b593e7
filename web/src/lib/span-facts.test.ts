import { describe, expect, test } from "vitest";
import { excerpt } from "./excerpt";
import { fullSpan } from "./full-span";
import { readToolResult } from "./mcp-result";
import { readTools } from "./tool-definitions";
import { readTraceback } from "./traceback";
import { usageOf } from "./usage";

describe("usage", () => {
  const span = (changes: object) =>
    fullSpan({
      duration_ms: 1000,
      input_tokens: 900,
      output_tokens: 100,
      cached_tokens: 600,
      cost_usd: 0.01,
      ...changes,
    });

  test("is told with what is part of what", () => {
    const usage = usageOf(span({ attributes: { "gen_ai.response.time_to_first_chunk": 0.5 } }));
    expect(usage).toMatchObject({
      total: 1000,
      cacheRead: 600,
      costPerThousand: 0.01,
      firstMs: 500,
      tokensPerSecond: 200,
    });
  });

  test("says nothing where nothing is known", () => {
    const unknown = { input_tokens: null, output_tokens: null, cached_tokens: null, cost_usd: null, duration_ms: null };
    expect(usageOf(span(unknown))).toMatchObject({ total: null, costPerThousand: null, tokensPerSecond: null });
    expect(usageOf(span({ cost_usd: 0, input_tokens: 0, output_tokens: 0 })).costPerThousand).toBeNull();
  });
});

describe("tool definitions", () => {
  test("of every API have a name, a description and a schema", () => {
    const schema = { type: "object" };
    const tool = { name: "f", description: "does f", schema };
    for (const form of [
      { type: "function", function: { name: "f", description: "does f", parameters: schema } },
      { type: "function", name: "f", description: "does f", parameters: schema },
      { name: "f", description: "does f", input_schema: schema },
      { name: "f", description: "does f", inputSchema: schema },
      { functionDeclarations: [{ name: "f", description: "does f", parameters: schema }] },
    ]) {
      expect(readTools([form])).toEqual([tool]);
      expect(readTools(JSON.stringify([form]))).toEqual([tool]);
    }
  });

  test("that are none are left out", () => {
    for (const wrong of [null, undefined, 1, "x", "[", {}, [null, 1, "x", {}, []]])
      expect(readTools(wrong)).toEqual([]);
  });
});

describe("tracebacks", () => {
  const PYTHON = `Traceback (most recent call last):
  File "/app/a.py", line 1, in a
    b()
    ~^^
  File "/app/b.py", line 2, in b
    raise ValueError("x")
ValueError: x
  a line of the message
`;

  const shownOf = (text: string) =>
    readTraceback(text)?.map(({ look, folded, frames }) => (folded ? `${frames} ${folded}` : look));
  const raisedIn = (text: string) => readTraceback(text)?.find(({ look }) => look === "raised")?.text;
  const whole = (text: string) =>
    readTraceback(text)
      ?.map((part) => part.text)
      .join("");
  const LIBRARIES = "/venv/lib/python3.11/site-packages/";

  test("of Python have their last frame set off", () => {
    expect(raisedIn(PYTHON)).toBe('  File "/app/b.py", line 2, in b\n    raise ValueError("x")\n');
    expect(shownOf(PYTHON)).toEqual(["text", "frame", "raised", "text"]);
    expect(whole(PYTHON)).toBe(PYTHON);
  });

  const CHAINED = `Traceback (most recent call last):
  File "/app/old.py", line 1, in old
    f()
KeyError: 1

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/app/inspector/integrations/mcp/server.py", line 3, in called
    return original()
  File "${LIBRARIES}langchain_core/tools/base.py", line 1098, in run
    response = context.run(self._run)
  File "/app/tool.py", line 2, in book
    client.get("/rooms")
  File "${LIBRARIES}httpx/_client.py", line 9, in get
    raise Timeout
  File "/usr/lib/python3.11/ssl.py", line 10, in read
    return self._sslobj.read()
httpx.Timeout: it took too long
`;

  test("set off the last frame of the program, and fold those of libraries before and behind it", () => {
    expect(raisedIn(CHAINED)).toBe('  File "/app/tool.py", line 2, in book\n    client.get("/rooms")\n');
    expect(shownOf(CHAINED)).toEqual(["text", "frame", "text", "2 libraries", "raised", "2 libraries", "text"]);
    expect(readTraceback(CHAINED)?.at(-1)?.text).toBe("httpx.Timeout: it took too long\n");
    expect(whole(CHAINED)).toBe(CHAINED);
  });

  test("without a frame of the program show where a library raised it, and set off none", () => {
    const text = CHAINED.replaceAll("/app/", LIBRARIES);
    expect(raisedIn(text)).toBeUndefined();
    expect(shownOf(text)).toEqual(["text", "1 libraries", "text", "4 libraries", "frame", "text"]);
  });

  test("of a recursion fold the frames that are far from the one that raised", () => {
    const frame = '  File "/app/deep.py", line 1, in down\n    down()\n';
    expect(shownOf(`Traceback (most recent call last):\n${frame.repeat(900)}RecursionError: x\n`)).toEqual([
      "text",
      "896 far",
      "frame",
      "raised",
      "text",
    ]);
  });

  test("of JavaScript have their first frame of the program set off", () => {
    const text = "Error: x\n    at b (b.js:2:1)\n    at a (a.js:1:1)\n";
    expect(raisedIn(text)).toBe("    at b (b.js:2:1)\n");
    const inLibrary = text.replace("b.js", "/app/node_modules/left/b.js");
    expect(raisedIn(inLibrary)).toBe("    at a (a.js:1:1)\n");
    expect(shownOf(inLibrary)).toEqual(["text", "1 libraries", "raised"]);
  });

  test("of anything else are left whole", () => {
    expect(readTraceback("it broke\nsomewhere")).toBeNull();
  });
});

describe("excerpts", () => {
  test("cut long texts at a line or a character, and short ones not at all", () => {
    expect(excerpt("a\nb", 20, 100)).toEqual({ text: "a\nb", left: 0 });
    const lines = Array.from({ length: 50 }, (_, at) => `line ${at}`).join("\n");
    const cut = excerpt(lines, 20, 4000);
    expect(cut.text.split("\n")).toHaveLength(20);
    expect(cut.text.length + cut.left).toBe(lines.length);
    expect(excerpt("x".repeat(10_000), 20, 4000)).toMatchObject({ left: 6000 });
  });

  test("never cut through a character, and never save one line", () => {
    expect(excerpt(`${"x".repeat(99)}😀${"y".repeat(900)}`, 20, 100).text).toBe("x".repeat(99));
    const lines = Array.from({ length: 22 }, (_, at) => `line ${at}`).join("\n");
    expect(excerpt(lines, 20, 4000).left).toBe(0);
  });
});

describe("spans", () => {
  test("whose lists are missing or odd have empty ones", () => {
    for (const odd of [undefined, null, 1, "x", [null, 1]]) {
      const span = fullSpan({ attributes: odd, events: odd, links: odd, clipped: odd });
      expect(span).toMatchObject({ attributes: {}, events: [], links: [], clipped: {} });
    }
    expect(fullSpan({ events: [{ name: 1, time_unix_nano: "x" }] }).events).toEqual([
      { name: "", time: null, attributes: {} },
    ]);
  });

  test("results in the form of MCP are told apart", () => {
    expect(readToolResult({ content: [{ type: "text", text: "hi" }], structured_content: { a: 1 } })).toEqual({
      content: [{ kind: "text", text: "hi" }],
      structured: { a: 1 },
    });
    expect(readToolResult({ content: [{ type: "json", value: [1] }] })?.content).toEqual([
      { kind: "json", value: [1] },
    ]);
    expect(readToolResult({ content: [], structured: { a: 1 } })?.structured).toEqual({ a: 1 });
    for (const other of [null, "x", { content: "x" }, { content: [1] }, [1]]) expect(readToolResult(other)).toBeNull();
  });
});
