import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Tag, ThumbsDown, ThumbsUp, X } from "lucide-react";
import { useRef, useState } from "react";
import { giveLabel, type Labelled, labelsQuery, refreshLabels, removeLabel, toggleVerdict } from "@/api/labels";
import { counted, isMine, labelText, type TypedLabel } from "@/lib/labels";
import { visibleLine } from "@/lib/visible";
import { Button } from "@/ui/button";
import { LabelChip } from "@/ui/label-chip";
import { Popover } from "@/ui/popover";
import { useKeys } from "@/ui/use-keys";
import { LabelForm } from "./label-form";
import css from "./labels.module.css";

interface Props {
  target: Labelled;
  /** What has the labels. */
  noun: "run" | "span";
}

const VERDICTS = [
  { name: "good", Icon: ThumbsUp, key: "G" },
  { name: "bad", Icon: ThumbsDown, key: "B" },
] as const;

/** The labels of a run or a span, and the controls to add and remove them. */
export function Labels({ target, noun }: Props) {
  const { data } = useQuery(labelsQuery(target));
  const queries = useQueryClient();
  const [problem, setProblem] = useState<string | null>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const all = data?.items ?? [];
  const ofRun = noun === "run";
  const own = all.filter((label) => (label.span_id === null) === ofRun);
  const ofSpans = ofRun ? all.filter((label) => label.span_id !== null) : [];

  async function change(act: () => Promise<unknown>) {
    setProblem(null);
    try {
      await act();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : "It could not be saved.");
    }
    refreshLabels(queries);
  }

  const mine = (name: string) => own.find((label) => label.name === name && isMine(label));
  const toggle = (name: "good" | "bad") => change(() => toggleVerdict(target, own, name));
  const add = (label: TypedLabel, note: string) => change(() => giveLabel(target, { ...label, ...(note && { note }) }));

  const openForm = () => opener.current?.click();
  useKeys(
    ofRun
      ? { labelGood: () => void toggle("good"), labelBad: () => void toggle("bad"), labelRun: openForm }
      : { labelSpan: openForm, labelListedSpan: openForm },
  );

  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for what is filled in
    <div className={css.labels} role="group" aria-label={`Labels of this ${noun}`}>
      {VERDICTS.map(({ name, Icon, key }) => (
        <Button
          key={name}
          look="plain"
          className={css.verdict}
          pressed={mine(name) !== undefined}
          onClick={() => void toggle(name)}
          title={`Label this ${noun} ${name}${ofRun ? ` (Shift+${key})` : ""}`}
          aria-label={`Label this ${noun} ${name}`}
        >
          <Icon size={13} aria-hidden />
        </Button>
      ))}
      <Popover
        ref={opener}
        label={`Label this ${noun}`}
        className={css.opener}
        panel={(close) => (
          <LabelForm
            onLabel={(label, note) => {
              close();
              void add(label, note);
            }}
          />
        )}
      >
        <Tag size={13} aria-hidden /> Label
      </Popover>
      {own
        .filter((label) => !(isMine(label) && VERDICTS.some(({ name }) => name === label.name) && label.note === null))
        .map((label) => (
          <LabelChip key={label.label_id} label={label}>
            <button
              type="button"
              className={css.remove}
              onClick={() => void change(() => removeLabel(label.label_id))}
              title="Remove this label"
              aria-label={visibleLine(`Remove the label ${labelText(label)}`)}
            >
              <X size={11} aria-hidden />
            </button>
          </LabelChip>
        ))}
      {counted(ofSpans).map(({ label, count }) => (
        <LabelChip key={label.label_id} label={label} count={count}>
          <span className={css.where}>{count === 1 ? "on a span" : "on spans"}</span>
        </LabelChip>
      ))}
      {problem && (
        <span role="alert" className={css.problem}>
          {problem}
        </span>
      )}
    </div>
  );
}
