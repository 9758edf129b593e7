import type { KeyboardEvent } from "react";

/**
 * Move the focus among the buttons of a list: by the arrows, `Home` and `End`, or to the next one that begins with the
 * letter.
 *
 * @param event A key pressed on the list, or on something around it.
 */
export function moveInMenu(event: KeyboardEvent<HTMLElement>): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>("li button:enabled")];
  const next = placeAfter(event.key, buttons);
  if (next === null) return;
  event.preventDefault();
  event.stopPropagation();
  buttons.at(next % buttons.length)?.focus();
}

function placeAfter(key: string, buttons: readonly HTMLElement[]): number | null {
  const at = buttons.indexOf(document.activeElement as HTMLElement);
  switch (key) {
    case "ArrowDown":
      return at + 1;
    case "ArrowUp":
      return at < 0 ? -1 : at - 1;
    case "Home":
      return 0;
    case "End":
      return -1;
  }
  if (!/^[a-z]$/i.test(key)) return null;
  const begins = (button: HTMLElement) => button.textContent.toLowerCase().startsWith(key.toLowerCase());
  const after = buttons.findIndex((button, place) => place > at && begins(button));
  const place = after < 0 ? buttons.findIndex(begins) : after;
  return place < 0 ? null : place;
}
