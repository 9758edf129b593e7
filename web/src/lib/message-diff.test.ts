import { describe, expect, test } from "vitest";
import { countChanges, diffMessages, diffWords } from "./message-diff";
import type { Message } from "./messages";

const said = (role: string, content: string): Message => ({ role, parts: [{ type: "text", content }] });

describe("what changed between two calls", () => {
  test("a conversation that went on has its beginning unchanged", () => {
    const before = [said("system", "s"), said("user", "u")];
    const after = [...before, said("assistant", "a"), said("tool", "t")];
    const changes = diffMessages(before, after);
    expect(changes.map(({ kind }) => kind)).toEqual(["same", "added", "added"]);
    expect(countChanges(changes)).toEqual({ same: 2, added: 2, removed: 0, rewritten: 0 });
  });

  test("a message with other words in it is rewritten, another message is not", () => {
    const changes = diffMessages(
      [said("system", "always be kind and careful"), said("user", "what is the weather")],
      [said("system", "always be kind and very careful"), said("user", "1 2 3 4")],
    );
    expect(changes.map(({ kind }) => kind)).toEqual(["rewritten", "removed", "added"]);
  });

  test("a compacted history is told as what went and what came", () => {
    const system = said("system", "s");
    const history = Array.from({ length: 10 }, (_, at) => said("user", `message ${at} about ${at * 7919}`));
    const changes = diffMessages([system, ...history], [system, said("user", "Summary: ..."), ...history.slice(8)]);
    expect(countChanges(changes)).toEqual({ same: 3, added: 1, removed: 8, rewritten: 0 });
  });

  test("applying the changes to the first list gives the second", () => {
    let state = 7;
    const next = (below: number) => {
      state = (state * 1103515245 + 12345) & 0x7fffffff;
      return state % below;
    };
    for (let round = 0; round < 200; round++) {
      const make = () => Array.from({ length: next(9) }, () => said("user", `${"word ".repeat(next(4))}${next(4)}`));
      const before = make();
      const after = make();
      const changes = diffMessages(before, after);
      const rebuilt = changes.flatMap((change) =>
        change.kind === "same"
          ? change.messages
          : change.kind === "added"
            ? [change.message]
            : change.kind === "rewritten"
              ? [change.after]
              : [],
      );
      expect(rebuilt).toEqual(after);
      const counts = countChanges(changes);
      expect(counts.same + counts.removed + counts.rewritten).toBe(before.length);
    }
  });

  test("a tool's answer with the same id is rewritten however different it is", () => {
    const answer = (response: unknown): Message => ({
      role: "tool",
      parts: [{ type: "tool_call_response", id: "c1", response }],
    });
    expect(diffMessages([answer("one")], [answer({ two: 2 })]).map(({ kind }) => kind)).toEqual(["rewritten"]);
  });
});

describe("what changed inside a text", () => {
  test("words are compared, and both texts can be put together again", () => {
    const before = "Rule 30: always be careful.\nNever skip.";
    const after = "Rule 30: sometimes be careful.\nNever skip it.";
    const pieces = diffWords(before, after);
    expect(
      pieces
        .filter(({ kind }) => kind !== "added")
        .map(({ text }) => text)
        .join(""),
    ).toBe(before);
    expect(
      pieces
        .filter(({ kind }) => kind !== "removed")
        .map(({ text }) => text)
        .join(""),
    ).toBe(after);
    expect(pieces).toContainEqual({ kind: "removed", text: "always" });
    expect(pieces).toContainEqual({ kind: "added", text: "sometimes" });
  });

  test("texts that have next to nothing in common are replaced as a whole", () => {
    const before = 'I will look at the weather first.\n\nweather({\n  "city": "Lisbon"\n})';
    const after = "error: no answer in time";
    expect(diffWords(before, after)).toEqual([
      { kind: "removed", text: before },
      { kind: "added", text: after },
    ]);
    expect(diffWords("Lisbon", `${before} ${after}`)).toContainEqual({ kind: "same", text: "Lisbon" });
  });

  test("texts of any characters come back whole", () => {
    for (const [before, after] of [
      ["", "a"],
      ["a", ""],
      ["\u202e\u0000 x", "\ud83d\ude00 x"],
      ["日本語テキスト", "日本語のテキスト"],
      ["same", "same"],
    ] as const) {
      const pieces = diffWords(before, after);
      expect(
        pieces
          .filter(({ kind }) => kind !== "added")
          .map(({ text }) => text)
          .join(""),
      ).toBe(before);
      expect(
        pieces
          .filter(({ kind }) => kind !== "removed")
          .map(({ text }) => text)
          .join(""),
      ).toBe(after);
    }
  });

  test("very long texts are replaced as a whole instead of being compared for ever", () => {
    expect(diffWords("a ".repeat(200_000), "b ".repeat(200_000)).map(({ kind }) => kind)).toEqual(["removed", "added"]);
  });
});
