import { useEffectEvent, useLayoutEffect } from "react";
import { type Action, isPressed, nameOfPress, SHORTCUTS } from "@/lib/shortcuts";

/** The actions of keys; one that returns false leaves the key to others. */
export type KeyActions = Partial<Record<Action, (event: KeyboardEvent) => unknown>>;

/** The maximum time between the two keys of a sequence. */
const SEQUENCE_MS = 1200;
/** The first keys of sequences. */
const BEGINNINGS = new Set(
  Object.values(SHORTCUTS).flatMap(({ keys }) => keys.flatMap((key) => /^(\S) \S$/.exec(key)?.[1] ?? [])),
);

const listeners = new Set<(press: string, event: KeyboardEvent) => boolean>();
let begun: { key: string; at: number } | null = null;

/**
 * Handle the keys of `SHORTCUTS` while a component is mounted, wherever the focus is.
 *
 * A key is ignored if the focused element needs it, or if a dialog or menu is open; a chord such as `Ctrl+K` always
 * works.
 */
export function useKeys(actions: KeyActions): void {
  const onPress = useEffectEvent((press: string, event: KeyboardEvent) => {
    for (const action of Object.keys(actions) as Action[])
      if (isHeard(action) && isPressed(action, press) && actions[action]?.(event) !== false) return true;
    return false;
  });
  // Before the first paint: otherwise a key that is pressed as soon as the page appears would be lost.
  useLayoutEffect(() => {
    const listener = (press: string, event: KeyboardEvent) => onPress(press, event);
    if (listeners.size === 0) window.addEventListener("keydown", onKeyDown);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) window.removeEventListener("keydown", onKeyDown);
    };
  }, []);
}

function onKeyDown(event: KeyboardEvent): void {
  const press = nameOfPress(event);
  if (!isForPage(event)) return;
  const first = begun && Date.now() - begun.at < SEQUENCE_MS ? begun.key : null;
  begun = BEGINNINGS.has(press) ? { key: press, at: Date.now() } : null;
  const acted = (first !== null && tell(`${first} ${press}`, event)) || tell(press, event);
  if (acted) event.preventDefault();
}

function tell(press: string, event: KeyboardEvent): boolean {
  for (const listener of listeners) if (listener(press, event)) return true;
  return false;
}

function isForPage(event: KeyboardEvent): boolean {
  if (event.defaultPrevented) return false;
  if (event.ctrlKey || event.metaKey) return true;
  const { target } = event;
  if (document.querySelector("dialog[open]:modal")) return false;
  if (!(target instanceof HTMLElement)) return true;
  if (target.isContentEditable || target.closest("input, textarea, select, dialog, [popover]")) return false;
  return event.key !== " " || target.closest(PRESSED) === null;
}

/** A page's own keys stop working once the next page is loading. */
function isHeard(action: Action): boolean {
  return SHORTCUTS[action].page === "Everywhere" || document.querySelector("main[inert]") === null;
}

/** Elements that the space bar activates. */
const PRESSED = "button, summary, [role=button], [role=tab], [role=menuitem]";
