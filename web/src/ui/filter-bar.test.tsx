import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Filter } from "@/lib/filter";
import { FilterBar } from "./filter-bar";

const onChange = vi.fn<(next: Filter, typing: boolean) => void>();

function show(filter: Filter) {
  return <FilterBar filter={filter} onChange={onChange} fields={["status", "agent"]} placeholder="Search" />;
}

describe("FilterBar", () => {
  beforeEach(() => {
    vi.useFakeTimers();
    onChange.mockReset();
  });
  afterEach(() => {
    cleanup();
    vi.useRealTimers();
  });

  const box = () => screen.getByRole<HTMLInputElement>("searchbox");
  const type = (value: string) => fireEvent.change(box(), { target: { value } });

  it("searches once typing pauses, and keeps the rest of the filter", () => {
    render(show({ agent: "planner" }));
    type("we");
    act(() => vi.advanceTimersByTime(200));
    type("weather");
    act(() => vi.advanceTimersByTime(249));
    expect(onChange).not.toHaveBeenCalled();
    act(() => vi.advanceTimersByTime(1));
    expect(onChange.mock.calls).toEqual([[{ agent: "planner", q: "weather" }, true]]);
  });

  it("searches at once with Enter, and not a second time after the pause", () => {
    render(show({}));
    type("weather");
    fireEvent.keyDown(box(), { key: "Enter" });
    act(() => vi.advanceTimersByTime(1000));
    expect(onChange).toHaveBeenCalledTimes(1);
  });

  it("keeps letters that were typed while the address was still catching up", () => {
    const { rerender } = render(show({}));
    type("wea");
    act(() => vi.advanceTimersByTime(250));
    type("weather");
    rerender(show({ q: "wea" }));
    expect(box().value).toBe("weather");
    act(() => vi.advanceTimersByTime(250));
    expect(onChange).toHaveBeenLastCalledWith({ q: "weather" }, true);
  });

  it("shows a search that came from elsewhere, and its end", () => {
    const { rerender } = render(show({ q: "old" }));
    rerender(show({ q: "new" }));
    expect(box().value).toBe("new");
    rerender(show({}));
    expect(box().value).toBe("");
    act(() => vi.advanceTimersByTime(1000));
    expect(onChange).not.toHaveBeenCalled();
  });

  it("takes out one condition with its cross, and everything with Clear all", () => {
    render(show({ status: ["error"], agent: "planner", q: "x", since: "1h" }));
    fireEvent.click(screen.getByRole("button", { name: "Remove status: error" }));
    expect(onChange).toHaveBeenLastCalledWith({ agent: "planner", q: "x", since: "1h" }, false);
    fireEvent.click(screen.getByRole("button", { name: "Remove the time range Last hour" }));
    expect(onChange).toHaveBeenLastCalledWith({ status: ["error"], agent: "planner", q: "x" }, false);
    fireEvent.click(screen.getByRole("button", { name: "Clear all" }));
    expect(onChange).toHaveBeenLastCalledWith({}, false);
  });

  it("forgets letters that were not sent yet with Clear all", () => {
    const { rerender } = render(show({ agent: "planner" }));
    type("hello");
    act(() => vi.advanceTimersByTime(100));
    fireEvent.click(screen.getByRole("button", { name: "Clear all" }));
    rerender(show({}));
    act(() => vi.advanceTimersByTime(1000));
    expect(onChange.mock.calls).toEqual([[{}, false]]);
    expect(box().value).toBe("");
  });

  it("keeps letters that were not sent yet when a condition is taken out", () => {
    const { rerender } = render(show({ agent: "planner" }));
    type("hello");
    fireEvent.click(screen.getByRole("button", { name: "Remove agent: planner" }));
    rerender(show({}));
    act(() => vi.advanceTimersByTime(1000));
    expect(onChange).toHaveBeenLastCalledWith({ q: "hello" }, true);
  });

  it("shows what is hidden in a condition", () => {
    render(show({ agent: "a\u202eb\u0007<img src=x>" }));
    expect(screen.getByRole("button", { name: "Remove agent: a⟨U+202E⟩b␇<img src=x>" })).toBeTruthy();
    expect(document.querySelector("img")).toBeNull();
  });

  it("reaches the search with a slash, but not from a field that is typed in", () => {
    render(show({}));
    fireEvent.keyDown(document.body, { key: "/" });
    expect(document.activeElement).toBe(box());
    expect(fireEvent.keyDown(box(), { key: "/" })).toBe(true);
  });
});
