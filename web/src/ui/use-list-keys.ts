import { type RefObject, useEffect } from "react";
import { isForPage } from "@/lib/shortcuts";

/** Let `j`, `k` and the arrows reach a list from anywhere on the page where nothing else wants them: it takes the focus. */
export function useListKeys(list: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      const { target } = event;
      if (!isForPage(event)) return;
      if (!KEYS.has(event.key) || !(target instanceof HTMLElement) || !IDLE.has(target.tagName)) return;
      if (!list.current) return;
      event.preventDefault();
      list.current.focus();
      // The list has its own keys; it gets this one as if it had had the focus before.
      list.current.dispatchEvent(new KeyboardEvent("keydown", { key: event.key, bubbles: true, cancelable: true }));
    }
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [list]);
}

const KEYS = new Set(["j", "k", "ArrowDown", "ArrowUp"]);
const IDLE = new Set(["BODY", "MAIN", "HTML"]);
