import { describe, expect, test } from "vitest";
import { readMessages, systemMessage, textOf, toolNames } from "./messages";

describe("messages of any API", () => {
  test("the parts of the conventions are read as they are", () => {
    const [message] = readMessages(
      [
        {
          role: "assistant",
          parts: [
            { type: "reasoning", content: "hm" },
            { type: "text", content: "hi" },
            { type: "tool_call", id: "c1", name: "f", arguments: { a: 1 } },
          ],
          finish_reason: "stop",
        },
      ],
      "user",
    );
    expect(message).toEqual({
      role: "assistant",
      finishReason: "stop",
      parts: [
        { kind: "reasoning", text: "hm" },
        { kind: "text", text: "hi" },
        { kind: "call", id: "c1", name: "f", arguments: { a: 1 } },
      ],
    });
  });

  test("the chat form of OpenAI", () => {
    const found = readMessages(
      [
        { role: "developer", content: "be brief" },
        { role: "user", content: [{ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }] },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: '{"a":1}' } }],
        },
        { role: "tool", tool_call_id: "c1", content: "42" },
      ],
      "user",
    );
    expect(found.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool"]);
    expect(found[1]?.parts).toEqual([
      { kind: "media", modality: "image", mimeType: "image/png", data: "AAAA", place: null },
    ]);
    expect(found[2]?.parts).toEqual([{ kind: "call", id: "c1", name: "f", arguments: { a: 1 } }]);
    expect(found[3]?.parts).toEqual([{ kind: "result", id: "c1", value: "42", failed: false }]);
    expect(toolNames(found)).toEqual(new Map([["c1", "f"]]));
  });

  test("a request of Anthropic with its system prompt and blocks", () => {
    const found = readMessages(
      {
        system: [{ type: "text", text: "be brief" }],
        messages: [
          { role: "user", content: "hi" },
          {
            role: "assistant",
            content: [
              { type: "thinking", thinking: "hm" },
              { type: "tool_use", id: "t", name: "f", input: {} },
            ],
          },
          { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "no", is_error: true }] },
        ],
      },
      "user",
    );
    expect(found.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
    expect(found[2]?.parts).toEqual([
      { kind: "reasoning", text: "hm" },
      { kind: "call", id: "t", name: "f", arguments: {} },
    ]);
    expect(found[3]?.parts).toEqual([{ kind: "result", id: "t", value: "no", failed: true }]);
  });

  test("contents of Gemini, and answers inside choices and candidates", () => {
    expect(
      readMessages({ contents: [{ role: "model", parts: [{ functionCall: { name: "f", args: { a: 1 } } }] }] }, "user"),
    ).toEqual([
      { role: "assistant", finishReason: null, parts: [{ kind: "call", id: null, name: "f", arguments: { a: 1 } }] },
    ]);
    const choices = { choices: [{ message: { role: "assistant", content: "hi" }, finish_reason: "length" }] };
    expect(readMessages(choices, "assistant")).toEqual([
      { role: "assistant", finishReason: "length", parts: [{ kind: "text", text: "hi" }] },
    ]);
    const candidates = { candidates: [{ content: { role: "model", parts: [{ text: "hi" }] }, finishReason: "STOP" }] };
    expect(readMessages(candidates, "assistant")).toEqual([
      { role: "assistant", finishReason: "STOP", parts: [{ kind: "text", text: "hi" }] },
    ]);
  });

  test("JSON as text is read, any other text is what was said", () => {
    expect(readMessages('[{"role":"user","content":"hi"}]', "user")[0]?.parts).toEqual([{ kind: "text", text: "hi" }]);
    expect(readMessages('{"role": broken', "user")).toEqual([
      { role: "user", finishReason: null, parts: [{ kind: "text", text: '{"role": broken' }] },
    ]);
    expect(readMessages("", "user")).toEqual([]);
    expect(readMessages(null, "user")).toEqual([]);
  });

  test("what no rule knows is kept as it is", () => {
    const odd = { type: "hologram", x: 1 };
    expect(readMessages([{ role: "user", content: [odd] }], "user")[0]?.parts).toEqual([{ kind: "json", value: odd }]);
    expect(readMessages({ answer: 42 }, "assistant")[0]?.parts).toEqual([{ kind: "json", value: { answer: 42 } }]);
  });

  test("nothing breaks on values of the wrong shape", () => {
    const wrong: unknown[] = [
      null,
      0,
      "",
      "x",
      [],
      {},
      [null],
      [[]],
      { role: 1 },
      { role: {}, content: 3 },
      { parts: 1 },
    ];
    for (const name of ["role", "content", "parts", "tool_calls", "type", "messages", "choices", "message", "source"]) {
      for (const value of wrong) {
        expect(() => readMessages([{ role: "user", [name]: value }], "user")).not.toThrow();
        expect(() => readMessages({ [name]: value }, "user")).not.toThrow();
        expect(() => readMessages({ [name]: [{ type: "image", [name]: value }] }, "user")).not.toThrow();
      }
    }
    let deep: unknown = "end";
    for (let at = 0; at < 50; at++) deep = { messages: [deep] };
    expect(() => readMessages(deep, "user")).not.toThrow();
  });

  test("system instructions apart from the messages", () => {
    expect(systemMessage('[{"type":"text","content":"be brief"}]')?.parts).toEqual([
      { kind: "text", text: "be brief" },
    ]);
    expect(systemMessage("be brief")?.role).toBe("system");
    expect(systemMessage(undefined)).toBeNull();
    expect(
      textOf({
        role: "user",
        finishReason: null,
        parts: [
          { kind: "text", text: "a" },
          { kind: "reasoning", text: "b" },
        ],
      }),
    ).toBe("a");
  });

  test("data of an image is told from its address", () => {
    const blob = { type: "blob", modality: "image", mime_type: "image/png", content: "AAAA" };
    const uri = { type: "uri", modality: "image", uri: "https://example.org/x.png" };
    expect(readMessages([{ role: "user", parts: [blob, uri] }], "user")[0]?.parts).toEqual([
      { kind: "media", modality: "image", mimeType: "image/png", data: "AAAA", place: null },
      { kind: "media", modality: "image", mimeType: null, data: null, place: "https://example.org/x.png" },
    ]);
  });
});
