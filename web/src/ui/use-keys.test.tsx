import { cleanup, fireEvent, render, renderHook, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { useKeys } from "./use-keys";

afterEach(cleanup);

function Page({ act }: { act: () => void }) {
  useKeys({ nextFailure: act, pause: act, palette: act, toRuns: act });
  return (
    <>
      <p>text</p>
      <input aria-label="field" />
      <button type="button">press</button>
      <div popover="auto">menu</div>
      <dialog>question</dialog>
    </>
  );
}

function show() {
  const act = vi.fn();
  render(<Page act={act} />);
  return act;
}

test("a key acts wherever the focus is", () => {
  const act = show();
  fireEvent.keyDown(document.body, { key: "e" });
  fireEvent.keyDown(screen.getByText("text"), { key: " " });
  fireEvent.keyDown(screen.getByText("press"), { key: "e" });
  expect(act).toHaveBeenCalledTimes(3);
});

test("a key does not act where it is typed, in what lies above the page, or as a shortcut of the browser", () => {
  const act = show();
  fireEvent.keyDown(screen.getByLabelText("field"), { key: "e" });
  fireEvent.keyDown(screen.getByText("menu"), { key: "e" });
  fireEvent.keyDown(screen.getByText("question"), { key: "e" });
  fireEvent.keyDown(document.body, { key: "e", ctrlKey: true });
  expect(act).not.toHaveBeenCalled();
});

test("the space bar presses the button that has the focus, and nothing else", () => {
  const act = show();
  fireEvent.keyDown(screen.getByText("press"), { key: " " });
  expect(act).not.toHaveBeenCalled();
});

test("a chord acts wherever the focus is, a field and a dialog too", () => {
  const act = show();
  fireEvent.keyDown(screen.getByLabelText("field"), { key: "k", ctrlKey: true });
  fireEvent.keyDown(screen.getByText("question"), { key: "k", metaKey: true });
  expect(act).toHaveBeenCalledTimes(2);
});

test("a sequence acts on its second key, and a key between the two ends it", () => {
  const act = show();
  const press = (keys: string) => {
    for (const key of keys) fireEvent.keyDown(document.body, { key });
  };
  press("gr");
  expect(act).toHaveBeenCalledTimes(1);
  press("r");
  press("gxr");
  expect(act).toHaveBeenCalledTimes(1);
});

test("a page that is being left hears no key, and the keys that lead elsewhere act", () => {
  const [page, anywhere] = [vi.fn(), vi.fn()];
  renderHook(() => useKeys({ nextFailure: page, palette: anywhere, toRuns: anywhere }));
  const { rerender } = render(<main inert>text</main>);
  for (const key of ["e", "g", "r"]) fireEvent.keyDown(document.body, { key });
  fireEvent.keyDown(document.body, { key: "k", ctrlKey: true });
  expect([page.mock.calls.length, anywhere.mock.calls.length]).toEqual([0, 2]);
  rerender(<main>text</main>);
  fireEvent.keyDown(document.body, { key: "e" });
  expect(page).toHaveBeenCalledTimes(1);
});

test("what leaves a key to others lets them act on it", () => {
  const [first, second] = [vi.fn(() => false), vi.fn()];
  renderHook(() => useKeys({ search: first }));
  renderHook(() => useKeys({ find: second }));
  fireEvent.keyDown(document.body, { key: "/" });
  expect([first.mock.calls.length, second.mock.calls.length]).toEqual([1, 1]);
});
