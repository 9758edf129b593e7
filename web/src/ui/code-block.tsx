import type { ReactNode } from "react";
import { CopyButton } from "./button";
import css from "./code-block.module.css";
import { LongText } from "./message-text";

interface Props {
  text: string;
  /** What it is, for the copy button and screen readers. */
  label: string;
  lines?: number;
  mono?: boolean;
  /** Stands in place of the text, where parts of it are set off. */
  children?: ReactNode;
}

/** Recorded text in a frame, as a rule in a fixed-width font, with its lines wrapped and a button that copies it as it was. */
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
