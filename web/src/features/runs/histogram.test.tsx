import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Bin } from "./bins";
import { Histogram } from "./histogram";

const AT = Date.UTC(2026, 10, 22, 3);
const bins: Bin[] = [4, 0, 2, 1].map((count, at) => ({
  fromMs: AT + at * 60_000,
  toMs: AT + (at + 1) * 60_000,
  count,
  errors: at === 2 ? 1 : 0,
}));
const iso = (minutes: number) => new Date(AT + minutes * 60_000).toISOString();

describe("Histogram", () => {
  afterEach(cleanup);

  function shown() {
    const onRange = vi.fn();
    render(<Histogram bins={bins} onRange={onRange} />);
    const plot = screen.getByRole("slider");
    const press = (key: string, shiftKey = false) => fireEvent.keyDown(plot, { key, shiftKey });
    return { onRange, plot, press };
  }

  it("marks a range with the arrow keys and Shift, says what is in it, and shows it with Enter", () => {
    const { onRange, plot, press } = shown();
    press("ArrowRight");
    press("ArrowRight");
    press("ArrowRight", true);
    expect(plot.getAttribute("aria-valuetext")).toContain("2 runs, 1 failed");
    expect(onRange).not.toHaveBeenCalled();
    press("Enter");
    expect(onRange).toHaveBeenCalledExactlyOnceWith({ since: iso(1), until: iso(3) });
  });

  it("lets go of the mark with Escape first, and of the range with the next", () => {
    const { onRange, press } = shown();
    press("End");
    press("Escape");
    expect(onRange).not.toHaveBeenCalled();
    press("Escape");
    expect(onRange).toHaveBeenCalledExactlyOnceWith(null);
  });

  it("stays within its ends", () => {
    const { onRange, press } = shown();
    press("End");
    press("ArrowRight");
    press("Enter");
    expect(onRange).toHaveBeenCalledExactlyOnceWith({ since: iso(3), until: iso(4) });
  });

  it("has no range to show while nothing is there", () => {
    const onRange = vi.fn();
    render(<Histogram bins={[]} onRange={onRange} />);
    const plot = screen.getByRole("slider");
    fireEvent.keyDown(plot, { key: "ArrowRight" });
    fireEvent.keyDown(plot, { key: "Enter" });
    expect(onRange).not.toHaveBeenCalled();
  });
});
