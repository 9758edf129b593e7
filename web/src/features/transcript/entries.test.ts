import { expect, test } from "vitest";
import { callSteps } from "@/lib/calls";
import { previousModelCall } from "@/lib/previous-call";
import { atOnce, randomConversations, rowsInTurn } from "@/lib/samples.test-data";
import type { SpanRow } from "@/lib/spans";
import { type Entry, placeOf, type Transcript, type Turn, transcriptSteps } from "./entries";

const callsOf = atOnce(callSteps);
const transcriptOf = atOnce(transcriptSteps);

const row = rowsInTurn(100);

const agent = (id: string, parentId: string | null, name: string) =>
  row(id, parentId, { kind: "agent", agent: name, durationMs: 5_000 });
const model = (id: string, parentId: string) => row(id, parentId, { kind: "llm", model: "gpt" });

const transcriptOfRows = (rows: SpanRow[]) => transcriptOf(callsOf(rows));
const outline = ({ entries }: Transcript) =>
  entries.map((entry) => `${"  ".repeat(entry.depth)}${entry.kind} ${entry.id}`);
const turn = ({ entries }: Transcript, id: string) =>
  entries.find((entry): entry is Turn => entry.kind === "turn" && entry.id === id);
const at = (entries: readonly Entry[], id: string) => entries.find((entry) => entry.id === id);

const RUN = [
  row("w", null, { kind: "workflow", durationMs: 9_000 }),
  row("list", "w", { kind: "rpc", name: "tools/list" }),
  row("p", "w", { kind: "prompt" }),
  agent("a", "w", "planner"),
  model("m1", "a"),
  row("t1", "a", { tool: "ask", durationMs: 2_000 }),
  row("r1", "t1", { kind: "rpc", tool: "ask" }),
  row("s1", "r1", { tool: "ask", foldedInto: "t1" }),
  agent("g", "s1", "guide"),
  model("n1", "g"),
  row("u", "g", { tool: "find" }),
  model("n2", "g"),
  model("m2", "a"),
];

test("a run has each call once, in order, with inner calls directly after their caller", () => {
  // The request and the server's span are the tool call itself, and listing tools belongs to no conversation.
  expect(outline(transcriptOfRows(RUN))).toEqual([
    "input w",
    "tool p",
    "agent a",
    "turn m1",
    "tool t1",
    "  agent g",
    "  turn n1",
    "  tool u",
    "  turn n2",
    "  outcome g-end",
    "turn m2",
    "outcome a-end",
    "outcome w-end",
  ]);
});

test("a model call knows the one before it of the same agent, and the tool calls in between", () => {
  const story = transcriptOfRows(RUN);
  expect(turn(story, "m1")?.previous).toBeNull();
  expect(turn(story, "m1")?.tools.map((call) => call.row.id)).toEqual(["t1"]);
  expect(turn(story, "m2")?.previous?.row.id).toBe("m1");
  expect(turn(story, "n1")?.previous).toBeNull();
  expect(turn(story, "n2")?.previous?.row.id).toBe("n1");
});

test("outcomes know the last model call inside; a tool's agent answers the tool alone", () => {
  const { entries } = transcriptOfRows(RUN);
  const answer = (id: string) => {
    const entry = at(entries, id);
    return entry?.kind === "outcome" ? entry.answer?.row.id : undefined;
  };
  expect([answer("g-end"), answer("a-end"), answer("w-end")]).toEqual(["n2", "m2", "m2"]);
});

test("an agent called again goes on from its earlier call, unless that still runs", () => {
  const again = (durationMs: number | null) =>
    transcriptOfRows([
      row("w", null, { kind: "workflow" }),
      agent("a", "w", "x"),
      row("m1", "a", { kind: "llm", durationMs, status: durationMs === null ? "running" : "ok" }),
      agent("b", "w", "x"),
      model("m2", "b"),
    ]);
  expect(turn(again(10), "m2")?.previous?.row.id).toBe("m1");
  expect(turn(again(null), "m2")?.previous).toBeNull();
});

test("calls that overlap are parallel; those that follow each other are not", () => {
  const start = 100_000;
  const { entries } = transcriptOfRows([
    agent("a", null, "x"),
    row("t1", "a", { tool: "x", startMs: start, durationMs: 50 }),
    row("t2", "a", { tool: "y", startMs: start + 10, durationMs: 500 }),
    row("t3", "a", { tool: "z", startMs: start + 400, durationMs: 10 }),
    row("t4", "a", { tool: "x", startMs: start + 510, durationMs: 10 }),
    row("t5", "a", { tool: "x", startMs: start + 519.5, durationMs: 10 }),
  ]);
  const parallel = (id: string) => at(entries, id)?.parallel;
  expect(["t1", "t2", "t3"].map(parallel)).toEqual([
    { at: 1, of: 3 },
    { at: 2, of: 3 },
    { at: 3, of: 3 },
  ]);
  expect(parallel("t4")).toBeNull();
  expect(parallel("t5")).toBeNull();
});

test("a failed request is shown, whatever it was for", () => {
  const story = transcriptOfRows([
    row("w", null, { kind: "workflow" }),
    row("r", "w", { kind: "rpc", name: "initialize", status: "error" }),
  ]);
  expect(outline(story)).toEqual(["input w", "tool r", "outcome w-end"]);
});

test("an agent without model calls of its own tells what it was given itself", () => {
  const { entries } = transcriptOfRows([agent("a", null, "x"), row("t", "a", { tool: "t" })]);
  expect(entries[0]).toMatchObject({ kind: "agent", hasTurns: false });
  expect(transcriptOfRows(RUN).entries[2]).toMatchObject({ kind: "agent", hasTurns: true });
});

test("a span that is shown as part of another one is found there", () => {
  const calls = callsOf(RUN);
  const story = transcriptOf(calls);
  const place = (id: string) => story.entries[placeOf(story, calls, id) ?? -1]?.id;
  expect(place("s1")).toBe("t1");
  expect(place("list")).toBe("w");
  expect(place("n2")).toBe("n2");
  expect(placeOf(story, calls, "nowhere")).toBeNull();
});

test("threads around an entry are known from the outermost on", () => {
  const { entries } = transcriptOfRows(RUN);
  expect(at(entries, "n1")?.outer.map((call) => call.row.id)).toEqual(["a"]);
  expect(at(entries, "m1")?.outer).toEqual([]);
});

test("random forests: every call but quiet requests is there exactly once, and ends after it begins", () => {
  const kinds = ["workflow", "agent", "llm", "tool", "rpc", "resource", "prompt", "other"] as const;
  let state = 7;
  const random = (below: number) => {
    state = (state * 48271) % 2147483647;
    return state % below;
  };
  for (let round = 0; round < 25; round++) {
    const rows = [...Array(60).keys()].map((i) =>
      row(`s${i}`, random(8) === 0 ? null : `s${random(60)}`, { kind: kinds[random(8)] ?? "other" }),
    );
    const calls = callsOf(rows);
    const { entries } = transcriptOf(calls);
    const ids = entries.map((entry) => entry.id);
    const places = new Map(ids.map((id, place) => [id, place]));
    expect(places.size).toBe(ids.length);
    const told = calls.all.filter((call) => call.row.kind !== "rpc");
    expect(told.every((call) => places.has(call.row.id))).toBe(true);
    const ends = ids.filter((id) => id.endsWith("-end"));
    expect(ends.every((id) => (places.get(id.slice(0, -4)) ?? ids.length) < (places.get(id) ?? -1))).toBe(true);
  }
});

test("a chain 5,000 calls deep has all of its calls", () => {
  const rows = [...Array(5_000).keys()].map((i) => row(`s${i}`, i ? `s${i - 1}` : null, { tool: `t${i}` }));
  expect(transcriptOfRows(rows).entries).toHaveLength(5_000);
});

test("random runs: the transcript and the detail of a span name the same call, whichever of its spans is looked at", () => {
  let found = 0;
  for (let seed = 1; seed <= 60; seed++) {
    const rows = randomConversations(seed);
    const calls = callsOf(rows);
    for (const entry of transcriptOf(calls).entries) {
      if (entry.kind !== "turn") continue;
      const told = entry.previous?.row.id ?? null;
      const spans = [entry.call.row, ...entry.call.echoes];
      expect(spans.map(({ id }) => previousModelCall(rows, id)?.id ?? null)).toEqual(spans.map(() => told));
      if (told !== null) found++;
    }
  }
  expect(found).toBeGreaterThan(100);
});
