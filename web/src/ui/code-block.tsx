import type { ReactNode } from "react";
import { CopyButton } from "./button";
import css from "./code-block.module.css";
import { LongText } from "./message-text";

interface Props {
  text: string;
  /** A name for the text, for the copy button and screen readers. */
  label: string;
  lines?: number;
  mono?: boolean;
  /** Replaces the text, to highlight parts of it. */
  children?: ReactNode;
}

/** Recorded text in a frame with a copy button, wrapped, and in a fixed-width font by default. */
export function CodeBlock({ text, label, lines = 20, mono = true, children }: Props) {
  return (
    <div className={css.block}>
      <div className={css.copy}>
        <CopyButton text={text} label={`Copy ${label}`} />
      </div>
      {children ?? <LongText text={text} lines={lines} mono={mono} />}
    </div>
  );
}
