import clsx from "clsx";
import { useState } from "react";
import { excerpt } from "@/lib/excerpt";
import { count } from "@/lib/format";
import { visible } from "@/lib/visible";
import css from "./message-text.module.css";

interface Props {
  text: string;
  /** Lines to show at first. */
  lines?: number;
  mono?: boolean;
  className?: string | undefined;
}

const CHARACTERS = 4_000;
const STEP = 200_000;

/** Recorded text with its line breaks. A long one is folded, and opens in steps that do not overload the page. */
export function LongText({ text, lines = 20, mono = false, className }: Props) {
  const [most, setMost] = useState(0);
  const shown = most === 0 ? excerpt(text, lines, CHARACTERS) : excerpt(text, Number.POSITIVE_INFINITY, most);
  return (
    <div className={className}>
      <div className={clsx(css.text, mono && css.mono)} dir="auto">
        {visible(shown.text)}
        {shown.left > 0 && "…"}
      </div>
      {shown.left > 0 && (
        <button type="button" className={css.more} onClick={() => setMost(most + STEP)}>
          {shown.left > STEP ? `Show ${count(STEP)} more characters` : `Show all ${count(text.length)} characters`}
        </button>
      )}
      {shown.left === 0 && most > 0 && (
        <button type="button" className={css.more} onClick={() => setMost(0)}>
          Show less
        </button>
      )}
    </div>
  );
}
