import type { RefObject } from "react";
import { useKeys } from "./use-keys";

/** Let the keys for the next and the previous row reach a list from anywhere on the page where nothing else wants them. */
export function useListKeys(list: RefObject<HTMLElement | null>): void {
  function reach({ key, target }: KeyboardEvent) {
    if (!list.current || !(target instanceof HTMLElement) || !IDLE.has(target.tagName)) return false;
    list.current.focus();
    // The list has its own keys; it gets this one as if it had had the focus before.
    return !list.current.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  }
  useKeys({ nextRow: reach, previousRow: reach });
}

const IDLE = new Set(["BODY", "MAIN", "HTML"]);
