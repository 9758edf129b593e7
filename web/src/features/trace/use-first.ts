import { useState } from "react";

/**
 * The span that a page opens on if its URL names none.
 *
 * It may change while the page loads. After that, it stays the same in a running trace: a later failure does not replace
 * what the user is reading.
 */
export function useFirst(first: string | null, { complete, running }: { complete: boolean; running: boolean }) {
  const [pinned, setPinned] = useState<string | null>(null);
  if (pinned === null && complete && running && first !== null) setPinned(first);
  return pinned ?? first;
}
