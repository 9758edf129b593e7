import { startTransition, useEffect, useMemo, useRef, useState } from "react";
import { finish, inSlices, type Steps } from "@/lib/steps";

/** What is made of so many rows or fewer is made at once. */
const SHORT = 2_000;

/**
 * What is made of an input; of a long one the last result that is ready, made while the page is drawn and answers.
 *
 * The first result is made at once: there is nothing to look at before. A newer input waits until the one before is done,
 * so that one that changes all the time is followed as well.
 *
 * @param length How long the input is.
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
