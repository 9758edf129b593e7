import { describe, expect, test } from "vitest";
import { readTraceback } from "./traceback";

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
