import { expect, test } from "vitest";
import { readController, readMiddleware } from "./middleware-steps";

const SIDES = { args: "arguments", result: "result" };

function said(...entries: unknown[]) {
  return readMiddleware(JSON.stringify(entries), SIDES).map(({ name, did }) => [name, ...did]);
}

test("each middleware is told in declared order, in words", () => {
  expect(
    said(
      { name: "audit", did: "changed", result: { before: { a: 1 }, after: { a: 2 } } },
      { name: "clamp", did: "changed", args: { before: { x: 40 }, after: { x: 10 } } },
      { name: "Retry", did: "changed", calls: 3 },
      { name: "Cache", did: "answered", result: { before: null, after: { text: "kept" } } },
      { name: "guard", did: "raised", args: { before: 1, after: 2 } },
      { name: "quiet", did: "passed" },
      { name: "late", did: "skipped" },
    ),
  ).toEqual([
    ["audit", "changed the result"],
    ["clamp", "changed the arguments"],
    ["Retry", "ran the call 3 times"],
    ["Cache", "answered instead"],
    ["guard", "changed the arguments", "raised"],
    ["quiet", "let it pass"],
    ["late", "was not reached"],
  ]);
});

test("without recorded values it is still said who did what", () => {
  expect(said({ name: "clamp", did: "changed" }, { name: "Cache", did: "answered" })).toEqual([
    ["clamp", "changed the call"],
    ["Cache", "answered instead"],
  ]);
});

test("an answer is kept whole, a change where it is", () => {
  const [answered, changed] = readMiddleware(
    [
      { name: "Cache", did: "answered", result: { before: null, after: { text: "kept" } } },
      { name: "clamp", did: "changed", args: { before: { x: 40, y: 1 }, after: { x: 10, y: 1 } } },
    ],
    SIDES,
  );
  expect(answered).toMatchObject({ answer: { text: "kept" }, result: [], quiet: false, failed: false });
  expect(changed).toMatchObject({ answer: undefined, args: [{ path: ".x", before: 40, after: 10 }] });
});

test("what a middleware took out of the result is not recorded, and what it left is shown", () => {
  const [step] = readMiddleware([{ name: "blank", did: "changed", result: { after: { text: "[secret]" } } }], SIDES);
  expect(step).toMatchObject({ answer: { text: "[secret]" }, result: [], removed: true });
  expect(step?.did).toEqual(["removed something from the result; what it removed is not recorded"]);
});

test("each attempt of a retry, and why a guardrail refused, is told", () => {
  const attempts = [{ outcome: "error", error: "OSError", message: "down" }, { outcome: "error" }, { outcome: "ok" }];
  const [retry, guard] = readMiddleware(
    [
      { name: "Retry", did: "changed", calls: 3, attempts },
      { name: "never", did: "refused", message: "not today" },
    ],
    SIDES,
  );
  expect(retry?.attempts).toEqual(["OSError: down", "failed", "ok"]);
  expect(guard).toMatchObject({ failed: true, did: ["refused the call", "not today"], attempts: [] });
});

test("who was asked what, the answer and how long it took are told", () => {
  const asked = { name: "Terminal", did: "asked", message: "Book it?", answer: "yes", waited_ms: 3200 };
  expect(said(asked, { ...asked, waited_ms: undefined })).toEqual([
    ["Terminal", "was asked", "Book it?", "yes, after 3.20 s"],
    ["Terminal", "was asked", "Book it?", "yes"],
  ]);
});

test("what asking a person raised is told, and failed", () => {
  const raised = { answer: "raised", waited_ms: 3200, error: "RuntimeError", error_message: "no line" };
  const [step] = readMiddleware([{ name: "ask", did: "asked", message: "Book it?", ...raised }], SIDES);
  expect(step).toMatchObject({
    failed: true,
    did: ["was asked", "Book it?", "raised, after 3.20 s", "RuntimeError: no line"],
  });
});

test("what a controller did, who decided and how long the call waited are told", () => {
  const controlled = { controller: "gate", did: "denied", reason: "too dear", by: "ada", waited_ms: 3200 };
  expect(readController(JSON.stringify(controlled), SIDES)).toMatchObject({
    name: "gate",
    did: ["denied the call", "too dear", "decided by ada", "after 3.20 s"],
    failed: true,
  });
  const changed = { did: "changed", args: { before: { x: 4 }, after: { x: 2 } } };
  expect(readController(changed, SIDES)).toMatchObject({
    name: "controller",
    did: ["changed the arguments"],
    args: [{ path: ".x", before: 4, after: 2 }],
  });
});

test.each([undefined, null, 3, "", "[", "[]"])("%j is no record of a controller", (recorded) => {
  expect(readController(recorded, SIDES)).toBeNull();
});

test.each([undefined, null, 3, "", "x", "{}", "[", '{"name":"a"}'])("%j is no list of middleware", (recorded) => {
  expect(readMiddleware(recorded, SIDES)).toEqual([]);
});

test("entries of another form are left out or told as far as they go", () => {
  expect(said(3, null, [], {}, { name: 5, did: {} }, { name: "new", did: "postponed", calls: "x", args: 3 })).toEqual([
    ["middleware", "did something"],
    ["middleware", "did something"],
    ["new", "postponed"],
  ]);
});
