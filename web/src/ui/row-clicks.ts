import type { MouseEvent } from "react";

/** Click handlers that make a whole row act as its link, in a new tab with the middle button or a modifier. */
export function rowClicks(open: (elsewhere: boolean) => void) {
  function onClick(event: MouseEvent) {
    const target = event.target as HTMLElement;
    if (event.defaultPrevented || target.closest("a, button, input") || event.button > 1) return;
    // A selection with the mouse is meant for copying, not for opening the row.
    if (event.button === 0 && window.getSelection()?.isCollapsed === false) return;
    open(event.button === 1 || event.ctrlKey || event.metaKey);
  }
  return { onClick, onAuxClick: onClick };
}
