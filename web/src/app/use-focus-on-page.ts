import { useRouterState } from "@tanstack/react-router";
import { useEffect, useRef } from "react";

/** Put the focus on a page as it is opened, so that its keys work and screen readers begin there. */
export function useFocusOnPage(): void {
  // Of the page that stands there: until it does, what was focused on the one before still is.
  const path = useRouterState({ select: ({ location, resolvedLocation }) => (resolvedLocation ?? location).pathname });
  const before = useRef(path);
  useEffect(() => {
    if (path === before.current) return;
    before.current = path;
    const { activeElement } = document;
    // What a page focuses by itself as it opens stays.
    if (activeElement === document.body || !document.getElementById("main")?.contains(activeElement)) {
      document.getElementById("main")?.focus({ preventScroll: true });
    }
  }, [path]);
}
