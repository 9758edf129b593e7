import { useEffectEvent, useLayoutEffect } from "react";
import { isForPage } from "@/lib/shortcuts";

/** Keys that act on the whole page, wherever the focus is, except where something is typed. */
export function usePageKeys(actions: ReadonlyMap<string, () => void>): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const act = isForPage(event) ? actions.get(event.key) : undefined;
    if (!act) return;
    event.preventDefault();
    act();
  });
  // Not after the page was painted: a key that is pressed at the first sight of it would be lost.
  useLayoutEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event);
    window.addEventListener("keydown", listener);
    return () => window.removeEventListener("keydown", listener);
  }, []);
}
