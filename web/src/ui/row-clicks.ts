import type { MouseEvent } from "react";

/** Click handlers that let a whole row do what its link does, in a new tab with the middle button or a modifier. */
export function rowClicks(open: (elsewhere: boolean) => void) {
  function onClick(event: MouseEvent) {
    const target = event.target as HTMLElement;
    if (event.defaultPrevented || target.closest("a, button, input") || event.button > 1) return;
    // Who marks text to copy it does not want to leave.
    if (event.button === 0 && window.getSelection()?.isCollapsed === false) return;
    open(event.button === 1 || event.ctrlKey || event.metaKey);
  }
  return { onClick, onAuxClick: onClick };
}
