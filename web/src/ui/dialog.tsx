import clsx from "clsx";
import { X } from "lucide-react";
import { type MouseEvent, type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { Button } from "./button";
import css from "./dialog.module.css";

interface Props {
  open: boolean;
  /** On Escape, a click outside or the close button; the owner then sets `open` to false. */
  onClose: () => void;
  title: string;
  /** Only screen readers get the title, because the content already says it. */
  quiet?: boolean;
  className?: string | undefined;
  children: ReactNode;
}

/** A native modal dialog: it holds the focus, returns it when it closes, and only has content while it is open. */
export function Dialog({ open, onClose, title, quiet = false, className, children }: Props) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // Before another key comes, which is for what it shows.
  useLayoutEffect(() => {
    const dialog = element.current;
    if (!dialog || dialog.open === open) return;
    if (open) dialog.showModal();
    else dialog.close();
  }, [open]);

  function beside(event: MouseEvent) {
    // The content covers the whole dialog: a click on the element itself hits its backdrop.
    if (event.target === element.current) onClose();
  }

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog natively
    <dialog
      ref={element}
      className={clsx(css.dialog, className)}
      aria-labelledby={titleId}
      onClose={onClose}
      onClick={beside}
    >
      {open && (
        <div className={css.content}>
          <div className={quiet ? "visually-hidden" : css.head}>
            <h2 id={titleId} className={css.title}>
              {title}
            </h2>
            {!quiet && (
              <Button look="plain" onClick={onClose} aria-label="Close">
                <X size={16} aria-hidden />
              </Button>
            )}
          </div>
          {children}
        </div>
      )}
    </dialog>
  );
}
