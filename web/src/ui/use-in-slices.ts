import { startTransition, useEffect, useMemo, useRef, useState } from "react";
import { finish, inSlices, type Steps } from "@/lib/steps";

/** An input of this length or less is computed at once. */
const SHORT = 2_000;

/**
 * The result of computing an input in steps; for a long one the latest that is ready, so the page stays responsive.
 *
 * The first result is computed at once: there is nothing to show before it. A newer input waits until the previous one
 * is done, so that an input which keeps changing also gets results.
 *
 * @param length The length of the input.
 */
export function useInSlices<In, Out>(input: In, length: number, steps: (input: In) => Steps<Out>): Out {
  const [ready, setReady] = useState<{ result: Out } | null>(null);
  const atOnce = length <= SHORT || ready === null;
  const made = useMemo(() => (atOnce ? { result: finish(steps(input)) } : null), [atOnce, input, steps]);
  if (made && made !== ready) setReady(made);
  const latest = useRef(input);
  const stop = useRef<(() => void) | null>(null);
  useEffect(() => {
    const isNew = latest.current !== input;
    latest.current = input;
    if (atOnce || !isNew || stop.current) return;
    function make(of: In) {
      stop.current = inSlices(steps(of), (result) => {
        stop.current = null;
        startTransition(() => setReady({ result }));
        if (latest.current !== of) make(latest.current);
      });
    }
    make(input);
  }, [input, atOnce, steps]);
  useEffect(
    () => () => {
      stop.current?.();
      stop.current = null;
    },
    [],
  );
  return ((made ?? ready) as { result: Out }).result;
}
