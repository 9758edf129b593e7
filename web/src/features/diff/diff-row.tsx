import clsx from "clsx";
import { memo } from "react";
import type { DiffCall, DiffStep } from "@/api/diff";
import { duration } from "@/lib/format";
import { Cell } from "@/ui/grid";
import { KindIcon } from "@/ui/kind";
import { ListRow } from "@/ui/list";
import { Recorded } from "@/ui/recorded";
import { StatusMark } from "@/ui/status";
import type { RowPlace } from "@/ui/virtual-grid";
import css from "./diff-list.module.css";
import { differenceWords } from "./words";

interface Props extends RowPlace {
  step: DiffStep;
  /** The beginning of the input in the first run; null if it is not known. */
  inputA: string | null;
  inputB: string | null;
  /** Whether it is selected. */
  chosen: boolean;
  /** Whether all calls are equal, so that there is no column for what differs. */
  isEqual: boolean;
  onOpen: () => void;
}

const MOST_LEVELS = 12;

/** One call of both runs. */
export const DiffRow = memo(function DiffRow({ step, inputA, inputB, chosen, isEqual, onOpen, ...place }: Props) {
  const sign = signOf(step);
  return (
    <ListRow {...place} onClick={onOpen} className={clsx(chosen && css.chosen, css[sign.look])}>
      <Cell className={css.sign}>
        <span aria-hidden>{sign.text}</span>
        <span className="visually-hidden">{sign.look === "same" ? "equal" : "differs"}</span>
      </Cell>
      <Side call={step.a} step={step} input={inputA} />
      <Side call={step.b} step={step} input={inputB} />
      {!isEqual && (
        <Cell className={clsx("cut", css.words)}>
          <Recorded text={differenceWords(step)} />
        </Cell>
      )}
    </ListRow>
  );
});

function Side({ call, step, input }: { call: DiffCall | null; step: DiffStep; input: string | null }) {
  if (call === null) return <Cell className={css.none}>not called</Cell>;
  return (
    <Cell className={css.side} style={{ paddingInlineStart: `${0.75 * Math.min(step.depth, MOST_LEVELS)}rem` }}>
      <StatusMark status={call.status} size={12} />
      <KindIcon kind={step.kind} size={12} />
      <Recorded text={step.kind === "tool" ? step.name : call.name} className={css.name} />
      {input !== null && <Recorded text={input} className={css.input} />}
      <span className={css.duration}>{duration(call.duration_ms)}</span>
    </Cell>
  );
}

/** The sign before a call, the same as in the command's output. */
function signOf({ differences }: DiffStep): { text: string; look: "onlyA" | "onlyB" | "changed" | "moved" | "same" } {
  if (differences.includes("only a")) return { text: "−", look: "onlyA" };
  if (differences.includes("only b")) return { text: "+", look: "onlyB" };
  if (differences.includes("answer") || differences.includes("input")) return { text: "~", look: "changed" };
  return differences.includes("order") ? { text: ">", look: "moved" } : { text: "", look: "same" };
}
