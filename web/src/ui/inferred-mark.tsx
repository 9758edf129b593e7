import css from "./inferred-mark.module.css";

/** Marks a span as inferred from messages. */
export function InferredMark() {
  return (
    <span className={css.mark} title="Inferred from messages, not counted">
      inferred
    </span>
  );
}
