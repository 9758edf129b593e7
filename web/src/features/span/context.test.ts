import { expect, test } from "vitest";
import { sampleRow } from "@/lib/samples.test-data";
import type { SpanRow } from "@/lib/spans";
import { contextAround, contextsOf, jumpWords } from "./context";

function turn(id: string, at: number, sizes: Record<string, number>, over: Partial<SpanRow> = {}): SpanRow {
  return sampleRow(id, null, {
    kind: "llm",
    startMs: at,
    turn: { conversation: "c", sizes, asks: [] },
    ...over,
  });
}

test("what a turn was given is split by what it is made of, up to the provider's figure", () => {
  const [only] = contextAround([turn("a", 0, { system: 100, user: 300 }, { inputTokens: 200, cachedTokens: 50 })], "a");
  expect(only).toMatchObject({ tokens: 200, counted: true, cached: 50, grown: null, jump: null });
  expect(only?.parts).toMatchObject({ system: 50, user: 150, tool: 0 });
});

test("without the provider's figure four characters are a token", () => {
  const [only] = contextAround([turn("a", 0, { user: 401 })], "a");
  expect(only).toMatchObject({ tokens: 101, counted: false });
});

test("a turn that the provider has not counted yet is estimated as it counted the turn before", () => {
  const counted = turn("a", 0, { user: 4000 }, { inputTokens: 500 });
  const turns = contextAround([counted, turn("b", 1, { user: 4800 })], "a");
  expect(turns.map(({ tokens, jump }) => [tokens, jump])).toEqual([
    [500, null],
    [600, null],
  ]);
});

test("a turn that grows far more than others is a jump, with what it grew by", () => {
  const rows = [400, 800, 1200, 9200, 9600].map((tool, at) =>
    turn(
      `t${at}`,
      at,
      { user: 400, tool },
      { turn: { conversation: "c", sizes: { user: 400, tool }, asks: ["look"] } },
    ),
  );
  const turns = contextAround(rows, "t0");
  expect(turns.map(({ grown }) => grown)).toEqual([null, 100, 100, 2000, 100]);
  expect(turns.map(({ jump }) => jump?.part ?? null)).toEqual([null, null, null, "tool", null]);
  expect(jumpWords(turns[3]?.jump ?? { part: "user", tools: [] })).toBe("mostly tool results (look)");
});

test("conversations are told apart, and duplicates are no turns", () => {
  const rows = [
    turn("a", 0, { user: 4 }),
    turn("b", 1, { user: 8 }),
    turn("copy", 1, { user: 8 }, { foldedInto: "b" }),
    turn("other", 2, { user: 4 }, { turn: { conversation: "d", sizes: { user: 4 }, asks: [] } }),
    sampleRow("tool"),
  ];
  expect(contextsOf(rows).map((turns) => turns.map(({ row }) => row.id))).toEqual([["a", "b"], ["other"]]);
  expect(contextAround(rows, "tool")).toEqual([]);
});

test("a conversation that shrinks, as after a summary, has no jump there", () => {
  const turns = contextAround([turn("a", 0, { user: 4000 }), turn("b", 1, { user: 400 })], "a");
  expect(turns.map(({ grown, jump }) => [grown, jump])).toEqual([
    [null, null],
    [-900, null],
  ]);
});
