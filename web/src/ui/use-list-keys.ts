import type { RefObject } from "react";
import { useKeys } from "./use-keys";

/** Let the keys that move over the rows work on a list from anywhere on the page where nothing else uses them. */
export function useListKeys(list: RefObject<HTMLElement | null>): void {
  function reach({ key, target }: KeyboardEvent) {
    if (!list.current || !(target instanceof HTMLElement) || !IDLE.has(target.tagName)) return false;
    list.current.focus();
    // Pass the key on to the list, which handles it as if it had the focus.
    return !list.current.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  }
  useKeys({
    nextRow: reach,
    previousRow: reach,
    pageDown: reach,
    pageUp: reach,
    firstRow: reach,
    lastRow: reach,
    openRow: reach,
  });
}

const IDLE = new Set(["BODY", "MAIN", "HTML"]);
