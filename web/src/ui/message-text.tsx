import clsx from "clsx";
import { useState } from "react";
import { excerpt } from "@/lib/excerpt";
import { count } from "@/lib/format";
import { isPatch } from "@/lib/text-blocks";
import css from "./message-text.module.css";
import { Lines, TextBlocks } from "./text-blocks";

interface Props {
  text: string;
  /** Lines to show at first. */
  lines?: number;
  mono?: boolean;
  className?: string | undefined;
}

const CHARACTERS = 4_000;
const STEP = 200_000;

/**
 * Recorded text with its line breaks, and code in a fixed-width font.
 *
 * A long one is folded, and opens in steps that do not overload the page.
 */
export function LongText({ text, lines = 20, mono = false, className }: Props) {
  const [most, setMost] = useState(0);
  const shown = most === 0 ? excerpt(text, lines, CHARACTERS) : excerpt(text, Number.POSITIVE_INFINITY, most);
  const whole = shown.left > 0 ? `${shown.text}…` : shown.text;
  return (
    <div className={className}>
      {mono ? (
        <div className={clsx(css.text, css.mono)} dir="auto">
          <Lines text={whole} isPatch={isPatch(whole)} />
        </div>
      ) : (
        <TextBlocks text={whole} className={css.text} />
      )}
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
