import { type ReactNode, useState } from "react";
import { count } from "@/lib/format";
import css from "./few.module.css";

interface Props<Item> {
  items: readonly Item[];
  /** How many show at first, and how many more each time. */
  step: number;
  children: (shown: readonly Item[]) => ReactNode;
}

/** A list that may be long: the first items, and a button for more. */
export function Few<Item>({ items, step, children }: Props<Item>) {
  const [most, setMost] = useState(step);
  return (
    <>
      {children(items.slice(0, most))}
      {items.length > most && (
        <button type="button" className={css.more} onClick={() => setMost(most + step)}>
          Show {count(Math.min(step, items.length - most))} more of {count(items.length)}
        </button>
      )}
    </>
  );
}
