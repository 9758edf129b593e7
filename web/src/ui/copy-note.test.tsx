import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { CopyNote, copyByKey } from "./copy-note";

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const clipboard = (writeText: (text: string) => Promise<void>) =>
  Object.defineProperty(navigator, "clipboard", { configurable: true, value: { writeText } });

test("what a key copied is said for a moment", async () => {
  vi.useFakeTimers();
  const written = vi.fn(async () => {});
  clipboard(written);
  render(<CopyNote />);
  await act(() => copyByKey("#/runs/1", "the link"));
  expect(written).toHaveBeenCalledWith("#/runs/1");
  expect(screen.getByRole("status").textContent).toBe("Copied the link.");
  act(() => void vi.advanceTimersByTime(2500));
  expect(screen.getByRole("status").textContent).toBe("");
});

test("that the browser would not let a key copy is said as well", async () => {
  clipboard(async () => Promise.reject(new DOMException("denied", "NotAllowedError")));
  render(<CopyNote />);
  await act(() => copyByKey("#/runs/1", "the link"));
  expect(screen.getByRole("status").textContent).toBe("The browser did not let the page copy the link.");
});
