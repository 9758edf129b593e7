import { expect, test } from "vitest";
import { INFERRED, type InferredTool, type InferredTurn } from "@/lib/inferred";
import { atOnce, sampleRow } from "@/lib/samples.test-data";
import { totalsOf } from "@/lib/totals";
import { conversationSteps } from "./conversations";

const withConversations = atOnce(conversationSteps);

const BASE = "1000000000";
const at = (ms: number) => String(1_000_000_000n + BigInt(ms) * 1_000_000n);

function tool(name: string, from: number, to: number | null, over: Partial<InferredTool> = {}): InferredTool {
  return {
    name,
    arguments: "{}",
    result: to === null ? null : "done",
    failed: false,
    start_time_unix_nano: at(from),
    end_time_unix_nano: to === null ? null : at(to),
    recorded: false,
    span: null,
    ...over,
  };
}

function turn(span_id: string, over: Partial<InferredTurn> = {}): InferredTurn {
  return { conversation: "1", span_id, link: "begins", previous: null, sizes: {}, tools: [], ...over };
}

const first = sampleRow("1111111111111111", null, { kind: "llm", traceId: "a", durationMs: 100 });
const second = sampleRow("2222222222222222", null, { kind: "llm", traceId: "b", startMs: 150, durationMs: 50 });
const turns = [
  turn(first.id, { tools: [tool("look", 100, 150), tool("book", 100, 150, { failed: true })] }),
  turn(second.id, { link: "continues", previous: { span_id: first.id } }),
];

test("model calls that continue one another stand below an agent, with the tools that ran between them", () => {
  const rows = withConversations([first, second], turns, BASE);
  const agent = rows.find((row) => row.kind === "agent");
  expect(agent).toMatchObject({ startMs: 0, durationMs: 200, status: "ok", traceId: INFERRED, parentId: null });
  expect(agent?.inferred).toEqual({
    what: "conversation",
    turns: 2,
    retries: 0,
    unclear: 0,
    first: first.id,
    last: second.id,
  });
  expect(rows.filter((row) => row.parentId === agent?.id).map((row) => [row.name, row.startMs, row.status])).toEqual([
    [first.name, 0, "ok"],
    ["execute_tool look", 100, "ok"],
    ["execute_tool book", 100, "error"],
    [second.name, 150, "ok"],
  ]);
  expect(rows.map((row) => row.startMs)).toEqual([...rows.map((row) => row.startMs)].sort((a, b) => a - b));
  expect(new Set(rows.map((row) => row.id)).size).toBe(rows.length);
});

test("a tool that is recorded, or of which nothing came back, is not added", () => {
  const some = [
    turn(first.id, { tools: [tool("look", 100, 150, { recorded: true }), tool("book", 100, null)] }),
    turns[1],
  ];
  const rows = withConversations([first, second], some as InferredTurn[], BASE);
  expect(rows.map((row) => row.kind)).toEqual(["agent", "llm", "llm"]);
});

test("calls below a recorded agent, and a call alone, stay as they are", () => {
  const agent = sampleRow("a".repeat(16), null, { kind: "agent" });
  const inside = [agent, { ...first, parentId: agent.id }, { ...second, parentId: first.id }];
  const shown = withConversations(inside, turns, BASE);
  expect(shown.map((row) => [row.id, row.parentId])).toEqual(inside.map((row) => [row.id, row.parentId]));
  expect(shown.map((row) => row.continues)).toEqual([undefined, undefined, first.id]);
  const alone = [first];
  expect(withConversations(alone, [turn(first.id)], BASE)).toEqual([
    { ...first, continues: null, turn: { conversation: "1", sizes: {}, asks: [] } },
  ]);
});

test("an agent stands where its calls stood, and runs while one of them does", () => {
  const request = sampleRow("b".repeat(16), null, { kind: "workflow", durationMs: null, status: "running" });
  const running = { ...second, parentId: request.id, status: "running" as const, durationMs: null };
  const rows = withConversations([request, { ...first, parentId: request.id }, running], turns, BASE);
  expect(rows.find((row) => row.kind === "agent")).toMatchObject({
    parentId: request.id,
    status: "running",
    durationMs: null,
  });
});

test("what is inferred changes no figure of what is recorded", () => {
  const rows = [first, second];
  withConversations(rows, turns, BASE);
  expect(totalsOf(rows).calls).toBe(2);
});
