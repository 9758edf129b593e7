import { useRouterState } from "@tanstack/react-router";
import { useEffect, useRef } from "react";

/** Move the focus to a page when it opens, so that its keys work and screen readers start there. */
export function useFocusOnPage(): void {
  // The path of the page that is shown: while the next one is loading, the previous one keeps its focus.
  const path = useRouterState({ select: ({ location, resolvedLocation }) => (resolvedLocation ?? location).pathname });
  const before = useRef(path);
  useEffect(() => {
    if (path === before.current) return;
    before.current = path;
    const { activeElement } = document;
    // Keep the focus that a page sets itself.
    if (activeElement === document.body || !document.getElementById("main")?.contains(activeElement)) {
      document.getElementById("main")?.focus({ preventScroll: true });
    }
  }, [path]);
}
