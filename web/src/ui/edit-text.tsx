import { useMemo } from "react";
import { editOf } from "@/lib/edit";
import { TextDiff } from "./diff";
import css from "./edit-text.module.css";

/** What a call changes in a file, if its arguments say so: removed and added words are marked. */
export function EditText({ args }: { args: unknown }) {
  const edit = useMemo(() => editOf(args), [args]);
  if (edit === null) return null;
  return (
    <section className={css.edit} aria-label="Change">
      <TextDiff {...edit} />
    </section>
  );
}
