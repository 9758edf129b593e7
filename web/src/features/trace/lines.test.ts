import { describe, expect, it } from "vitest";
import { atOnce, randomFrom, randomRows, sampleRow } from "@/lib/samples.test-data";
import type { SpanRow } from "@/lib/spans";
import { treeOf } from "@/lib/tree";
import { foldAround, hasOwnLine, type Lines, linesOf, type Shape } from "./lines";
import { subtreeSteps } from "./subtrees";

const subtreesOf = atOnce(subtreeSteps);

const row = sampleRow;

function shapeOf(rows: readonly SpanRow[], over: Partial<Shape> = {}): Shape {
  const tree = treeOf(rows);
  return {
    tree,
    below: subtreesOf(rows, tree),
    isOpen: () => true,
    folded: false,
    everything: false,
    openFolds: new Set(),
    ...over,
  };
}

/** `2 name` for a span at level 2, `1 4×name` for a fold of four. */
function drawn(rows: readonly SpanRow[], lines: Lines): string[] {
  return lines.row.map((at, line) => {
    const fold = lines.folds[lines.fold[line] ?? -1];
    return `${lines.level[line]} ${fold ? `${fold.members.length}×` : ""}${rows[at]?.name}`;
  });
}

const calls = (count: number, name: string, over: Partial<SpanRow> = {}) =>
  [...Array(count).keys()].map((at) => row(`${name}${at}`, "run", { name, ...over }));

describe("linesOf", () => {
  it("shows an open tree from top to bottom, and nothing below what is closed", () => {
    const rows = [row("run"), row("a", "run"), row("a1", "a"), row("b", "run")];
    expect(drawn(rows, linesOf(rows, shapeOf(rows)))).toEqual(["0 run", "1 a", "2 a1", "1 b"]);
    const closed = linesOf(rows, shapeOf(rows, { isOpen: (at) => rows[at]?.id !== "a" }));
    expect(drawn(rows, closed)).toEqual(["0 run", "1 a", "1 b"]);
    expect(closed.open).toEqual([true, false, undefined]);
    expect([...closed.line]).toEqual([0, 1, -1, 2]);
  });

  it("tells messages of MCP that keep a connection going as one, until they are opened or one of them failed", () => {
    const rpc = { kind: "rpc" as const };
    const rows = [
      row("run"),
      row("a", "run", { ...rpc, name: "initialize" }),
      row("b", "run", { ...rpc, name: "notifications/initialized" }),
      row("c", "run", { ...rpc, name: "tools/list" }),
      row("call", "run", { name: "weather" }),
      row("u", "run", { ...rpc, name: "notifications/resources/updated" }),
      row("d", "run", { ...rpc, name: "ping" }),
      row("e", "run", { ...rpc, name: "ping", status: "error" }),
      row("f", "run", { ...rpc, name: "tools/call weather" }),
    ];
    const shape = shapeOf(rows);
    const lines = linesOf(rows, shape);
    expect(drawn(rows, lines)).toEqual([
      "0 run",
      "1 4×initialize",
      "1 weather",
      "1 notifications/resources/updated",
      "1 ping",
      "1 tools/call weather",
    ]);
    expect(drawn(rows, linesOf(rows, shapeOf(rows, { everything: true })))).toHaveLength(9);
    expect(foldAround(rows, shape, 2)?.id).toBe("a");
    const opened = linesOf(rows, shapeOf(rows, { openFolds: new Set(["a"]) }));
    expect(drawn(rows, opened).slice(1, 6)).toEqual([
      "1 4×initialize",
      "2 initialize",
      "2 notifications/initialized",
      "2 tools/list",
      "2 ping",
    ]);
  });

  it("counts the places of siblings", () => {
    const rows = [row("run"), row("a", "run"), row("b", "run")];
    const { position, size } = linesOf(rows, shapeOf(rows));
    expect(position).toEqual([1, 1, 2]);
    expect(size).toEqual([1, 2, 2]);
  });

  it("folds four and more equal siblings, and not three or those that something stands between", () => {
    const rows = [row("run"), ...calls(4, "search"), ...calls(3, "read"), row("chat", "run"), ...calls(2, "read ")];
    const lines = linesOf(rows, shapeOf(rows, { folded: true }));
    expect(drawn(rows, lines)).toEqual([
      "0 run",
      "1 4×search",
      "1 read",
      "1 read",
      "1 read",
      "1 chat",
      "1 read ",
      "1 read ",
    ]);
  });

  it("folds cycles that repeat, what is left of the last one apart", () => {
    const turn = (at: number) =>
      [...calls(1, "chat"), ...calls(1, "read")].map((each) => ({ ...each, id: `${each.name}-${at}` }));
    const rows = [row("run"), ...[1, 2, 3, 4].flatMap(turn), row("chat", "run"), row("end", "run")];
    const lines = linesOf(rows, shapeOf(rows, { folded: true }));
    expect(drawn(rows, lines)).toEqual(["0 run", "1 8×chat", "1 chat", "1 end"]);
    expect(lines.folds[0]?.period).toBe(2);
    const failed = rows.map((each) => (each.id === "read-2" ? { ...each, status: "error" as const } : each));
    expect(drawn(failed, linesOf(failed, shapeOf(failed, { folded: true })))).toEqual([
      "0 run",
      ...["chat", "read", "chat", "read", "chat", "read", "chat", "read", "chat", "end"].map((name) => `1 ${name}`),
    ]);
  });

  it("keeps apart what counts and what tells of the same calls once more", () => {
    const told = calls(4, "chat").map((each, at) => ({ ...each, id: `told${at}`, foldedInto: `chat${at}` }));
    const rows = [row("run"), ...calls(4, "chat"), ...told];
    expect(drawn(rows, linesOf(rows, shapeOf(rows, { folded: true })))).toEqual(["0 run", "1 4×chat", "1 4×chat"]);
  });

  it("keeps apart tools that their spans do not name", () => {
    const tools = ["read", "read", "read", "read", "pay"];
    const rows = [row("run"), ...tools.map((tool, at) => row(`call${at}`, "run", { name: "ai.toolCall", tool }))];
    expect(drawn(rows, linesOf(rows, shapeOf(rows, { folded: true })))).toEqual([
      "0 run",
      "1 4×ai.toolCall",
      "1 ai.toolCall",
    ]);
  });

  it("keeps apart what differs in kind or status", () => {
    const rows = [
      row("run"),
      ...calls(4, "x"),
      ...calls(4, "x", { status: "error" }),
      ...calls(4, "x", { kind: "rpc" }),
    ];
    const unique = rows.map((each, at) => ({ ...each, id: at ? `s${at}` : "run" }));
    expect(drawn(unique, linesOf(unique, shapeOf(unique, { folded: true })))).toEqual([
      "0 run",
      "1 4×x",
      "1 4×x",
      "1 4×x",
    ]);
  });

  it("never hides a failure below spans that ended well in a fold", () => {
    const rows = [row("run"), ...calls(9, "search"), row("inner", "search4", { status: "error" })];
    const lines = linesOf(rows, shapeOf(rows, { folded: true }));
    expect(drawn(rows, lines)).toEqual(["0 run", "1 4×search", "1 search", "2 inner", "1 4×search"]);
  });

  it("shows the members of an open fold one level below it, with what is below them", () => {
    const rows = [row("run"), ...calls(4, "search"), row("rpc", "search1")];
    const lines = linesOf(rows, shapeOf(rows, { folded: true, openFolds: new Set(["search0"]) }));
    expect(drawn(rows, lines)).toEqual([
      "0 run",
      "1 4×search",
      "2 search",
      "2 search",
      "3 rpc",
      "2 search",
      "2 search",
    ]);
    expect(lines.open[1]).toBe(true);
  });

  it("knows the fold that a row is in", () => {
    const rows = [row("run"), ...calls(4, "search"), row("chat", "run")];
    const shape = shapeOf(rows, { folded: true });
    const lines = linesOf(rows, shape);
    expect(lines.line[3]).toBe(1);
    expect(hasOwnLine(lines, 3)).toBe(false);
    expect(hasOwnLine(lines, 5)).toBe(true);
    expect(foldAround(rows, shape, 3)?.id).toBe("search0");
    expect(foldAround(rows, shape, 5)).toBeNull();
  });

  it("tells every row of a random tree once, by itself or in a fold, when all is open", () => {
    for (let seed = 0; seed < 40; seed++) {
      const rows = randomRows(seed, 80);
      const random = randomFrom(seed);
      const openFolds = new Set(rows.filter(() => random() < 0.5).map((each) => each.id));
      const shape = shapeOf(rows, { folded: true, openFolds });
      const lines = linesOf(rows, shape);
      const told = lines.row.flatMap((at, line) => {
        const fold = lines.folds[lines.fold[line] ?? -1];
        return fold ? (lines.open[line] ? [] : below(shape, fold.members)) : [at];
      });
      expect(told.toSorted((a, b) => a - b)).toEqual([...rows.keys()]);
    }
  });
});

function below({ tree }: Shape, members: readonly number[]): number[] {
  return members.flatMap((at) => [at, ...below({ tree } as Shape, tree.children[at] ?? [])]);
}
