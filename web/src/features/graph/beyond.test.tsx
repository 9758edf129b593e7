import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { rowsInTurn } from "@/lib/samples.test-data";
import { AgentGraph } from "./agent-graph";

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const row = rowsInTurn(10);

/** One box beside the other, 100 pixels each, in a frame that shows the first three. */
function layOut(shownFrom = 0) {
  vi.spyOn(HTMLElement.prototype, "getBoundingClientRect").mockImplementation(function (this: HTMLElement) {
    const at = this.dataset.at;
    return at === undefined ? new DOMRect(0, 0, 300, 100) : new DOMRect((Number(at) - shownFrom) * 100, 10, 90, 40);
  });
}

test("nodes out of view are counted at their side with the failed ones, and a click scrolls to them", () => {
  layOut();
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(300);
  const agents = [0, 1, 2, 3].map((at) => row(`a${at}`, "w", { kind: "agent", agent: `agent ${at}` }));
  const failed = row("a4", "w", { kind: "agent", agent: "agent 4", status: "error" });
  const rows = [row("w", null, { kind: "workflow", name: "run" }), ...agents, failed];
  render(
    <AgentGraph rows={rows} trace={null} selected={null} onSelect={vi.fn()} asTable={false} onAsTable={vi.fn()} />,
  );
  const boxes = document.querySelectorAll("[data-at]").length;
  const frame = screen.getByRole("group", { name: "Drawing of the agent graph" });
  const scrollBy = vi.fn();
  frame.scrollBy = scrollBy;
  fireEvent.click(screen.getByRole("button", { name: `${boxes - 3} more on the right, 1 failed` }));
  expect(scrollBy).toHaveBeenCalledWith({ left: 240, top: 0 });
  layOut(2);
  fireEvent.scroll(frame);
  expect(screen.getByRole("button", { name: "2 more on the left" })).toBeTruthy();
});
