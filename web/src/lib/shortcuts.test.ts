import { expect, test } from "vitest";
import { actionOn, nameOfPress, SHORTCUTS } from "./shortcuts";

const press = (key: string, held: object = {}) => ({ key, ctrlKey: false, metaKey: false, altKey: false, ...held });

test("a press is named as the map writes it", () => {
  expect(nameOfPress(press("e"))).toBe("e");
  expect(nameOfPress(press("E"))).toBe("Shift+E");
  expect(nameOfPress(press("ArrowDown"))).toBe("↓");
  expect(nameOfPress(press("PageDown"))).toBe("Page Down");
  expect(nameOfPress(press(" "))).toBe("Space");
  expect(nameOfPress(press("k", { ctrlKey: true }))).toBe("Ctrl+K");
  expect(nameOfPress(press("k", { metaKey: true }))).toBe("⌘K");
  expect(nameOfPress(press("+"))).toBe("+");
});

test("a press means something at the place of its shortcut alone", () => {
  expect(actionOn("Lists", press("ArrowDown"))).toBe("nextRow");
  expect(actionOn("Lists", press("j"))).toBe("nextRow");
  expect(actionOn("JSON", press("j"))).toBeNull();
  expect(actionOn("Runs", press("+"))).toBe("praise");
  expect(actionOn("A run", press("+"))).toBe("zoomIn");
  expect(actionOn("Lists", press("j", { ctrlKey: true }))).toBeNull();
  expect(actionOn("Lists", press("j", { altKey: true }))).toBeNull();
});

test("no key does two things at one place", () => {
  const keys = Object.values(SHORTCUTS).flatMap(({ page, keys }) => keys.map((key) => `${page}: ${key}`));
  expect(new Set(keys).size).toBe(keys.length);
});
