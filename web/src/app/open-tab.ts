import type { AnyRouter, ParsedLocation } from "@tanstack/react-router";

/** Open a page of the app in another tab. */
export function openTab(router: AnyRouter, location: ParsedLocation): void {
  window.open(router.history.createHref(location.href), "_blank", "noopener");
}
