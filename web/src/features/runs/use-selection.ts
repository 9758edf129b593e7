import { useCallback, useMemo, useState } from "react";

/** Rows of a list that somebody picked. */
export interface Selection {
  keys: ReadonlySet<string>;
  /** Pick a row or let it go; `to`: and those between it and the row before that was picked or let go. */
  toggle: (key: string, range?: boolean) => void;
  /** Pick all rows that are here, or none. */
  all: (on: boolean) => void;
}

/** @param keys The rows of the list in order; what leaves the list is no longer picked. */
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
