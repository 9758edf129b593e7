import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { usePageKeys } from "./use-page-keys";

afterEach(cleanup);

function Page({ act }: { act: () => void }) {
  usePageKeys(
    new Map([
      ["e", act],
      [" ", act],
    ] as const),
  );
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
