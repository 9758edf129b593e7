import { expect, test } from "vitest";
import type { InferredTurn } from "@/lib/inferred";
import { atOnce, randomFrom, rowsInTurn, sampleRow } from "@/lib/samples.test-data";
import type { SpanRow } from "@/lib/spans";
import { treeOf } from "@/lib/tree";
import { conversationSteps } from "./conversations";

const withConversations = atOnce(conversationSteps);

function turn(row: SpanRow, asked: readonly SpanRow[] = [], conversation = "1"): InferredTurn {
  const tools = asked.map(({ id, name, status }) => ({
    name,
    arguments: "{}",
    result: "fine",
    failed: status === "error",
    start_time_unix_nano: "1",
    end_time_unix_nano: "2",
    recorded: true,
    span: { span_id: id },
  }));
  return { conversation, span_id: row.id, link: "begins", previous: null, sizes: {}, tools };
}

/** The rows from top to bottom, with a dot for each level; an inferred agent by its name. */
function drawn(rows: readonly SpanRow[], turns: readonly InferredTurn[]): string[] {
  const all = withConversations(rows, turns, "0");
  const { order, depth } = treeOf(all);
  return [...order].map((at) => {
    const row = all[at] as SpanRow;
    return `${".".repeat(depth[at] ?? 0)}${row.inferred ? row.name : row.id}`;
  });
}

test("what an answer asked for stands between the turns, with the row of its batch", () => {
  const step = rowsInTurn(10, { durationMs: 10 });
  const loop = step("loop", null, { kind: "workflow", durationMs: 60 });
  const first = step("first", "loop", { kind: "llm" });
  const batch = step("batch", "loop", { kind: "workflow", durationMs: 30 });
  const tools = [step("one", "batch"), step("two", "batch")];
  const last = step("last", "loop", { kind: "llm" });
  expect(drawn([loop, first, batch, ...tools, last], [turn(first, tools), turn(last)])).toEqual([
    "loop",
    ".conversation",
    "..first",
    "..batch",
    "...one",
    "...two",
    "..last",
  ]);
});

test("what the loop did besides stands there too, but no other model call and nothing that two may have done", () => {
  const step = rowsInTurn(10, { durationMs: 10 });
  const [first, other] = [step("first", null, { kind: "llm" }), step("other", null, { kind: "llm" })];
  const [unclear, judged] = [step("unclear", null), step("judged", null, { kind: "llm" })];
  const [last, own] = [step("last", null, { kind: "llm" }), step("own", null)];
  const end = step("end", null, { kind: "llm" });
  const turns = [turn(first), turn(other, [], "2"), turn(judged, [], "3"), turn(last), turn(end, [], "2")];
  expect(drawn([first, other, unclear, judged, last, own, end], turns)).toEqual([
    "conversation",
    ".first",
    ".last",
    "conversation",
    ".other",
    ".own",
    ".end",
    "unclear",
    "judged",
  ]);
});

test("calls below steps stay below them", () => {
  const step = rowsInTurn(10, { durationMs: 10 });
  const rows = [
    step("a", null, { kind: "other", durationMs: 30 }),
    step("first", "a", { kind: "llm" }),
    step("look", "a"),
    step("b", null, { kind: "other", durationMs: 20 }),
    step("last", "b", { kind: "llm" }),
  ];
  const [, first, look, , last] = rows as [SpanRow, SpanRow, SpanRow, SpanRow, SpanRow];
  expect(drawn(rows, [turn(first, [look]), turn(last)])).toEqual(["a", ".first", ".look", "b", ".last"]);
});

test("a conversation runs while a call that it asked for does", () => {
  const [first, last] = [0, 10].map((startMs) => sampleRow(`llm${startMs}`, null, { kind: "llm", startMs }));
  const running = sampleRow("look", null, { startMs: 20, durationMs: null, status: "running" });
  const rows = [first, last, running] as SpanRow[];
  const all = withConversations(rows, [turn(rows[0] as SpanRow), turn(rows[1] as SpanRow, [running])], "0");
  expect(all.find(({ kind }) => kind === "agent")).toMatchObject({ status: "running", durationMs: null });
  expect(all.find(({ id }) => id === "look")?.parentId).toMatch(/^a000/);
});

test.each(Array.from({ length: 40 }, (_, seed) => seed))(
  "rows of loop %i are in the order they happened in",
  (seed) => {
    const random = randomFrom(seed);
    const parent = random() < 0.5 ? "r0" : null;
    const rows: SpanRow[] = parent ? [sampleRow(parent, null, { kind: "workflow", durationMs: 9999 })] : [];
    const turns: InferredTurn[] = [];
    let [last, asked]: [SpanRow | null, SpanRow[]] = [null, []];
    for (let at = 1; at < 12; at++) {
      const isCall = random() < 0.4;
      const row = sampleRow(`r${at}`, parent, { kind: isCall ? "llm" : "tool", startMs: at * 10, durationMs: 10 });
      rows.push(row);
      if (!isCall) {
        if (random() < 0.5) asked.push(row);
        continue;
      }
      if (last) turns.push(turn(last, asked));
      [last, asked] = [row, []];
    }
    if (last) turns.push(turn(last, asked));
    const ids = drawn(rows, turns).map((line) => line.replace(/^\.*/, ""));
    expect(ids.filter((id) => id !== "conversation")).toEqual(rows.map(({ id }) => id));
  },
);
