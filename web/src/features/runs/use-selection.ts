import { useCallback, useMemo, useState } from "react";

/** The selected rows of a list. */
export interface Selection {
  keys: ReadonlySet<string>;
  /** Select a row or deselect it; with `range`, also the rows up to the previously toggled one. */
  toggle: (key: string, range?: boolean) => void;
  /** Select all loaded rows, or none. */
  all: (on: boolean) => void;
}

/** @param keys The rows of the list in order; rows that leave the list are deselected. */
export function useSelection(keys: readonly string[]): Selection {
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const [last, setLast] = useState<string | null>(null);
  const here = useMemo(() => (picked.size ? new Set(keys.filter((key) => picked.has(key))) : picked), [picked, keys]);

  const toggle = useCallback(
    (key: string, range = false) => {
      const [from, to] = [range && last !== null ? keys.indexOf(last) : -1, keys.indexOf(key)];
      const some = from < 0 || to < 0 ? [key] : keys.slice(Math.min(from, to), Math.max(from, to) + 1);
      setPicked((before) => {
        const next = new Set(before);
        const on = !before.has(key);
        for (const each of some) on ? next.add(each) : next.delete(each);
        return next;
      });
      setLast(key);
    },
    [keys, last],
  );
  const all = useCallback((on: boolean) => setPicked(new Set(on ? keys : [])), [keys]);
  return { keys: here, toggle, all };
}
