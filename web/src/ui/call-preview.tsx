import clsx from "clsx";
import { visibleLine } from "@/lib/visible";
import css from "./call-preview.module.css";

interface Props {
  /** The call on one line; null for what is not known. */
  of: { input: string | null; output: string | null; error: string | null };
  className?: string | undefined;
}

/** The input of a call, and its output or error, on one line: each has half of it, and what the other leaves. */
export function CallPreview({ of: { input, output, error }, className }: Props) {
  const gave = error ?? output;
  if (input === null && gave === null) return null;
  const words = [input, gave].filter((each) => each !== null).map(visibleLine);
  return (
    <span className={clsx(css.preview, className)} title={words.join(" → ")}>
      {input !== null && <bdi className={css.given}>{visibleLine(input)}</bdi>}
      {gave !== null && (
        <>
          <span aria-hidden>→</span>
          <bdi className={clsx(css.gave, error !== null && css.wrong)}>{visibleLine(gave)}</bdi>
        </>
      )}
    </span>
  );
}
