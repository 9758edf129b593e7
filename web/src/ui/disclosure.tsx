import clsx from "clsx";
import { ChevronRight } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import css from "./disclosure.module.css";

interface Props {
  /** The content of the button that opens it. */
  summary: ReactNode;
  /** Content beside the button that is not part of it. */
  aside?: ReactNode;
  defaultOpen?: boolean;
  className?: string | undefined;
  children: ReactNode | (() => ReactNode);
}

/** A line that opens a panel; a closed panel is not rendered. */
export function Disclosure({ summary, aside, defaultOpen = false, className, children }: Props) {
  const [open, setOpen] = useState(defaultOpen);
  const id = useId();
  return (
    <div className={className}>
      <div className={css.line}>
        <button
          type="button"
          className={css.button}
          aria-expanded={open}
          aria-controls={open ? id : undefined}
          onClick={() => setOpen(!open)}
        >
          <ChevronRight size={14} aria-hidden className={clsx(css.mark, open && css.open)} />
          <span className={css.summary}>{summary}</span>
        </button>
        {aside}
      </div>
      {open && (
        <div id={id} className={css.body}>
          {typeof children === "function" ? children() : children}
        </div>
      )}
    </div>
  );
}
