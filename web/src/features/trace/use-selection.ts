import { useEffect, useState } from "react";
import { useTraceAddress } from "./address";

/** How long the cursor has to rest on a span before the address and the detail follow. */
const REST_MS = 120;

export interface Selection {
  /** The span under the cursor. */
  id: string | null;
  /** The span whose detail shows: the same one, as soon as the cursor rests. */
  settled: string | null;
  select: (id: string) => void;
  /** Select while a key is held: one step of many. */
  pass: (id: string) => void;
}

/** The selected span: the one in the address, otherwise `fallback`, which does not go into the address. */
export function useSelection(inAddress: string | undefined, fallback: string | null): Selection {
  const { change } = useTraceAddress();
  const [ahead, setAhead] = useState<string | null>(null);
  if (ahead !== null && ahead === inAddress) setAhead(null);

  useEffect(() => {
    if (ahead === null) return;
    const timer = window.setTimeout(() => {
      void change((before) => ({ ...before, span: ahead }), true);
    }, REST_MS);
    return () => window.clearTimeout(timer);
  }, [ahead, change]);

  function select(id: string) {
    setAhead(null);
    if (id !== inAddress) void change((before) => ({ ...before, span: id }));
  }

  const settled = inAddress ?? fallback;
  return { id: ahead ?? settled, settled, select, pass: setAhead };
}
