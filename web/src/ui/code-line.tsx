import { CopyButton } from "./button";
import css from "./code-line.module.css";

/** A line of code or a command, with a button that copies it. */
export function CodeLine({ text, label = `Copy ${text}` }: { text: string; label?: string }) {
  return (
    <div className={css.line}>
      <code>{text}</code>
      <CopyButton text={text} label={label} />
    </div>
  );
}
