import { describe, expect, it } from "vitest";
import { type FullSpan, fullSpan } from "@/lib/full-span";
import type { Message } from "@/lib/messages";
import { conversationMarkdown, mcpRequest, messagesJson } from "./copy-conversation";

function span(changes: Partial<FullSpan>): FullSpan {
  return fullSpan({
    trace_id: "a".repeat(32),
    span_id: "b".repeat(16),
    kind: "llm",
    name: "chat",
    status: "ok",
    duration_ms: 1,
    agent: null,
    model: "gpt-4.1",
    tool: null,
    service: null,
    error: null,
    input: null,
    output: null,
    ...changes,
  });
}

const CALL = { id: "c1", type: "function", function: { name: "add", arguments: '{"a":1}' } };
const said = (role: string, content: string): Message => ({ role, parts: [{ type: "text", content }] });
const TALK = span({
  messages: {
    tools: [],
    input: [
      said("system", "Be exact."),
      said("user", "1 + 1?"),
      { role: "assistant", parts: [{ type: "tool_call", id: "c1", name: "add", arguments: { a: 1 } }] },
      { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: "2" }] },
    ],
    output: [said("assistant", "It is ```2```.")],
  },
});

describe("a conversation", () => {
  it("is copied as the messages that a chat client takes", () => {
    expect(JSON.parse(messagesJson(TALK))).toEqual([
      { role: "system", content: "Be exact." },
      { role: "user", content: "1 + 1?" },
      { role: "assistant", content: null, tool_calls: [CALL] },
      { role: "tool", tool_call_id: "c1", content: "2" },
      { role: "assistant", content: "It is ```2```." },
    ]);
  });

  it("is copied whole as Markdown, in fences that nothing in it closes", () => {
    const long = "word ".repeat(10_000);
    const text = conversationMarkdown(
      span({ messages: { input: [said("user", long)], output: TALK.messages.output, tools: [] } }),
    );
    expect(text).toContain(long);
    expect(text).toContain("````\nIt is ```2```.\n````");
  });
});

describe("a tool call as an MCP request", () => {
  it("names the tool and its arguments", () => {
    const request = mcpRequest(span({ kind: "tool", tool: "add", input: { a: 1 } }));
    expect(JSON.parse(request ?? "")).toEqual({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "add", arguments: { a: 1 } },
    });
  });

  it("is none where the arguments are no object", () => {
    expect(mcpRequest(span({ kind: "tool", tool: "add", input: [1] }))).toBeNull();
    expect(mcpRequest(span({ kind: "tool", tool: "add", input: "plain" }))).toBeNull();
  });
});
