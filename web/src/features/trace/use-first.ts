import { useState } from "react";

/**
 * The span that a page opens on where its address names none.
 *
 * It may follow what arrives while the page loads. Of what still runs it stays from then on what it was: a failure that
 * comes later does not take the place of what somebody reads.
 */
export function useFirst(first: string | null, { complete, running }: { complete: boolean; running: boolean }) {
  const [pinned, setPinned] = useState<string | null>(null);
  if (pinned === null && complete && running && first !== null) setPinned(first);
  return pinned ?? first;
}
