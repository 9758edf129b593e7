import css from "./inferred-mark.module.css";

/** Says of what follows from messages that it does. */
export function InferredMark() {
  return (
    <span className={css.mark} title="Inferred from messages, not counted">
      inferred
    </span>
  );
}
