import clsx from "clsx";
import { ThumbsDown, ThumbsUp } from "lucide-react";
import type { ReactNode } from "react";
import { type Label, labelText, labelTitle } from "@/lib/labels";
import { visibleLine } from "@/lib/visible";
import css from "./label-chip.module.css";
import { Recorded } from "./recorded";

const VERDICTS = { good: ThumbsUp, bad: ThumbsDown } as const;

/** A label of a run or a span as a chip. */
export function LabelChip({ label, count = 1, children }: { label: Label; count?: number; children?: ReactNode }) {
  const Icon = Object.hasOwn(VERDICTS, label.name) ? VERDICTS[label.name as keyof typeof VERDICTS] : null;
  const isNote = label.name === "note" && label.note !== null;
  return (
    <span
      className={clsx(css.chip, label.name === "good" && css.good, label.name === "bad" && css.bad)}
      title={visibleLine(labelTitle(label))}
    >
      {Icon && <Icon size={12} aria-hidden />}
      <Recorded text={isNote ? (label.note ?? "") : labelText(label)} className={css.text} />
      {count > 1 && <span className={css.count}>×{count}</span>}
      {children}
    </span>
  );
}
