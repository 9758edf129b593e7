import { cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { rowsInTurn } from "@/lib/samples.test-data";
import type { SpanRow } from "@/lib/spans";
import { AgentGraph } from "./agent-graph";

afterEach(cleanup);

const row = rowsInTurn(10);
// Hundreds of rendered rows take as long as all other tests together: `make test` leaves them out.
const slow = test.skipIf(process.env.INSPECTOR_TEST_FEW);

/** A run of agents that call each other in turn, and tools that some of them share. */
function crowd(agents: number, tools: number): SpanRow[] {
  const rows = [row("w", null, { kind: "workflow", name: "run", durationMs: 9e5 })];
  for (let at = 0; at < agents; at++) {
    const parent = at < 10 ? "w" : `a${at % 10}`;
    rows.push(row(`a${at}`, parent, { kind: "agent", agent: `agent ${at}`, durationMs: 50 }));
    for (let tool = 0; tool < tools; tool++) {
      rows.push(row(`t${at}-${tool}`, `a${at}`, { tool: `tool ${(at + tool) % 97}`, durationMs: 5_000 }));
    }
  }
  return rows;
}

function show(rows: readonly SpanRow[], asTable = false) {
  const [onSelect, onAsTable] = [vi.fn(), vi.fn()];
  render(<AgentGraph rows={rows} trace={null} selected={null} {...{ onSelect, asTable, onAsTable }} />);
  return { onSelect, onAsTable };
}

slow("two hundred boxes are drawn, each a button with its name that selects a call", () => {
  const { onSelect } = show(crowd(150, 2));
  const drawing = screen.getByRole("group", { name: "Drawing of the agent graph" });
  expect(drawing.querySelectorAll("button[data-at]").length).toBeGreaterThan(200);
  fireEvent.click(within(drawing).getByTitle("agent 140"));
  expect(onSelect).toHaveBeenLastCalledWith("a140");
});

test("arrow keys go from box to box", () => {
  show(crowd(3, 1));
  const first = document.querySelector<HTMLElement>('[data-at="0"]');
  first?.focus();
  fireEvent.keyDown(first as HTMLElement, { key: "ArrowRight" });
  expect(document.activeElement?.getAttribute("data-at")).not.toBe("0");
  expect(document.activeElement?.hasAttribute("data-at")).toBe(true);
});

test("it is a table where that is asked for, and asks for it", () => {
  const drawn = show(crowd(3, 1));
  fireEvent.click(screen.getByRole("button", { name: "As a table" }));
  expect(drawn.onAsTable).toHaveBeenLastCalledWith(true);
  cleanup();
  const table = show(crowd(3, 1), true);
  expect(screen.getByRole("table")).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "As a table" }));
  expect(table.onAsTable).toHaveBeenLastCalledWith(false);
});

slow("more boxes than can be drawn are a table, with the figures of each", () => {
  show(crowd(610, 0));
  expect(document.body.textContent).toContain("611 nodes are too many to draw");
  expect(document.querySelectorAll("tbody tr").length).toBeGreaterThan(600);
});

test("a run that called nothing says so; one that has not come yet does not", () => {
  show([row("o", null, { kind: "other" })]);
  expect(screen.getByText("This run has no agents, models or tools")).toBeTruthy();
  cleanup();
  show([]);
  expect(screen.queryByText("This run has no agents, models or tools")).toBeNull();
});
