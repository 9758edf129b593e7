import { useQuery } from "@tanstack/react-query";
import { type Labelled, labelsQuery } from "@/api/labels";
import { LabelChip } from "@/ui/label-chip";
import css from "./labels.module.css";

interface Props {
  target: Labelled;
  /** What has the labels. */
  noun: "run" | "span";
}

/** The labels of a run or a span on a page that cannot change them. */
export function ReadonlyLabels({ target, noun }: Props) {
  const { data } = useQuery(labelsQuery(target));
  const own = (data?.items ?? []).filter((label) => (label.span_id === null) === (noun === "run"));
  if (own.length === 0) return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for what is filled in
    <div className={css.labels} role="group" aria-label={`Labels of this ${noun}`}>
      {own.map((label) => (
        <LabelChip key={label.label_id} label={label} />
      ))}
    </div>
  );
}
