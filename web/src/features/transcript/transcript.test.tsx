import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { eventQuery } from "@/api/queries";
import { rowsInTurn } from "@/lib/samples.test-data";
import type { SpanRow } from "@/lib/spans";
import { Transcript } from "./transcript";

const TRACE = "t".repeat(32);
const row = rowsInTurn(100, { traceId: TRACE });

beforeEach(() => {
  // Without a size nothing is in view.
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(8_000);
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(900);
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

/** What the API answers of a row. */
function event(of: SpanRow, over: object = {}): object {
  return { span_id: of.id, status: of.status, input: null, output: null, attributes: {}, error: null, ...over };
}

function show(rows: SpanRow[], events: Record<string, object>, selected: string | null = null) {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  for (const each of rows) {
    queries.setQueryData(eventQuery(each.id, TRACE).queryKey, event(each, events[each.id]) as never);
  }
  const onSelect = vi.fn();
  render(
    <QueryClientProvider client={queries}>
      <Transcript rows={rows} selected={selected} onSelect={onSelect} />
    </QueryClientProvider>,
  );
  return onSelect;
}

const said = (role: string, ...parts: object[]) => ({ role, parts });
const text = (content: string) => ({ type: "text", content });
const items = () => screen.getAllByRole("article").map((item) => item.textContent ?? "");

test("calls that were lost, abandoned or cancelled say so, and show what is known of them", () => {
  show(
    [
      row("w", null, { kind: "workflow", status: "lost", durationMs: null }),
      row("a", "w", { kind: "agent", agent: "planner", status: "abandoned" }),
      row("m", "a", { kind: "llm", model: "gpt", status: "cancelled" }),
      row("t", "a", { tool: "book", status: "lost", durationMs: null }),
    ],
    { m: { messages: { input: [said("user", text("plan a trip"))], output: [] } }, t: { input: { city: "Lisbon" } } },
  );
  const all = items().join("\n");
  expect(all).toContain("plan a trip");
  expect(all).toContain('{city: "Lisbon"}');
  expect(all).toContain("planner" + "was still open when the call around it ended");
  expect(all).toContain("was lost: its process ended");
  expect(all).not.toContain("NaN");
});

test("reasoning is there to be opened, and a second call of the agent tells what is new", () => {
  const asked = [said("system", text("be brief")), said("user", text("hello"))];
  const answer = [said("assistant", { type: "reasoning", content: "they greet me" }, text("hi there"))];
  show(
    [
      row("a", null, { kind: "agent", agent: "x", durationMs: 900 }),
      row("m1", "a", { kind: "llm" }),
      row("m2", "a", { kind: "llm" }),
    ],
    {
      m1: { messages: { input: asked, output: answer } },
      m2: {
        messages: {
          input: [...asked, ...answer, said("user", text("and now"))],
          output: [said("assistant", text("bye"))],
        },
      },
      a: { output: "bye", messages: { input: [], output: [said("assistant", text("bye"))] } },
    },
  );
  const all = items();
  expect(all.filter((item) => item.includes("be brief")).length).toBeGreaterThan(0);
  const second = all.find((item) => item.includes("and now"));
  expect(second).toContain("Sees 1 more message from above.");
  expect(second).not.toContain("be brief");
  expect(screen.queryByText("they greet me")).toBeNull();
  fireEvent.click(screen.getByRole("button", { name: /reasoning, 13 characters/ }));
  expect(screen.getByText("they greet me")).toBeTruthy();
});

test("values that are too long say how long they are, and that they are elsewhere", () => {
  show(
    [
      row("a", null, { kind: "agent", agent: "x", durationMs: 900 }),
      row("m", "a", { kind: "llm" }),
      row("t", "a", { tool: "read" }),
    ],
    { m: { clipped: { input: 3_000_000 } }, t: { clipped: { output: 5_000_000 } } },
  );
  const all = items().join("\n");
  expect(all).toContain("not shown here; open this span's detail to load them.");
  expect(all).toContain("a long value");
});

test("hostile text is text: names, arguments and answers", () => {
  const hostile = "<img src=x onerror=alert(1)>\u202e";
  show([row("a", null, { kind: "agent", agent: hostile, durationMs: 900 }), row("t", "a", { tool: hostile })], {
    a: { input: hostile, output: { __proto__: null, constructor: hostile } },
    t: { input: { [hostile]: hostile }, output: { content: [{ type: "text", text: hostile }] } },
  });
  expect(document.querySelector("img")).toBeNull();
  expect(document.body.textContent).not.toContain("\u202e");
  expect(document.body.textContent).toContain("⟨U+202E⟩");
});

test("the selected span is marked in the call that it is a part of, and keys move on from there", () => {
  const onSelect = show(
    [
      row("a", null, { kind: "agent", agent: "x", durationMs: 900 }),
      row("t", "a", { tool: "find" }),
      row("r", "t", { kind: "rpc", tool: "find" }),
      row("u", "a", { tool: "book" }),
    ],
    {},
    "r",
  );
  const current = () => screen.getAllByRole("article").filter((item) => item.getAttribute("aria-current"));
  expect(current().map((item) => item.textContent?.includes("find"))).toEqual([true]);
  fireEvent.keyDown(screen.getByRole("group", { name: "Transcript" }), { key: "j" });
  expect(onSelect).toHaveBeenLastCalledWith("u");
});

test("an agent whose output is messages ends with their text, and with their JSON if there is more in them", () => {
  const thought = { type: "reasoning", content: "short" };
  const answer = said("assistant", thought, text("All is booked."));
  const asks = said("assistant", { type: "tool_call", id: "c", name: "book", arguments: {} });
  show([row("a", null, { kind: "agent", agent: "x" }), row("b", null, { kind: "agent", agent: "y" })], {
    a: { output: [answer], messages: { input: [], output: [answer] } },
    b: { output: [asks], messages: { input: [], output: [asks] } },
  });
  const all = items();
  expect(all[1]).toBe("xended withAll is booked.");
  expect(all[3]).toContain("tool_call");
});
