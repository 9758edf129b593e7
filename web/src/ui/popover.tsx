import {
  type FocusEvent,
  type ReactNode,
  type Ref,
  type ToggleEvent,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import css from "./popover.module.css";

interface Place {
  top: number;
  maxHeight: number;
  left?: number;
  right?: number;
}

interface Props {
  /** The name of the button and the panel. */
  label: string;
  /** The content of the button, usually its name. */
  children: ReactNode;
  className: string | undefined;
  /** The content of the panel; rendered when it opens. */
  panel: (close: () => void) => ReactNode;
  ref?: Ref<HTMLButtonElement>;
  onClose?: () => void;
}

/**
 * A button that opens a panel above the page.
 *
 * Escape closes it, and the focus returns to the button; a click elsewhere and a Tab out of it close it too.
 */
export function Popover({ label, children, className, panel, ref, onClose }: Props) {
  const id = useId();
  const root = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState<Place | null>(null);

  // Its width is only known once it is shown.
  function keepInside() {
    const box = place && root.current?.getBoundingClientRect();
    if (!box || box.width === 0) return;
    const most = Math.max(4, window.innerWidth - 8 - box.width);
    if (place.left !== undefined && place.left > most) setPlace({ ...place, left: most });
    if (place.right !== undefined && place.right > most) setPlace({ ...place, right: most });
  }
  useLayoutEffect(keepInside, [place]);

  function beforeToggle(event: ToggleEvent<HTMLDivElement>) {
    const button = event.currentTarget.previousElementSibling;
    if (event.newState === "open" && button) setPlace(below(button.getBoundingClientRect()));
  }

  function toggled(event: ToggleEvent<HTMLDivElement>) {
    if (event.newState === "open") {
      keepInside();
      event.currentTarget.querySelector<HTMLElement>("[data-autofocus], input, button")?.focus();
    } else {
      setPlace(null);
      onClose?.();
    }
  }

  function left({ relatedTarget: next, currentTarget: panel }: FocusEvent) {
    // A press on what takes no focus gives it to what is around the panel; one on the button closes the panel by itself.
    const stays =
      next === null || panel.contains(next) || next.contains(panel) || next === panel.previousElementSibling;
    if (!stays) root.current?.hidePopover();
  }

  return (
    <>
      <button
        type="button"
        ref={ref}
        className={className}
        popoverTarget={id}
        aria-haspopup="dialog"
        aria-label={label}
        aria-expanded={place !== null}
      >
        {children}
      </button>
      <div
        ref={root}
        id={id}
        popover="auto"
        role="dialog"
        aria-label={label}
        className={css.panel}
        style={place ?? {}}
        onBeforeToggle={beforeToggle}
        onToggle={toggled}
        onBlur={left}
      >
        {place && panel(() => root.current?.hidePopover())}
      </div>
    </>
  );
}

/** Below the button, aligned with the side that has more room. */
function below(button: DOMRect): Place {
  const top = button.bottom + 4;
  const side =
    button.left < window.innerWidth / 2
      ? { left: button.left }
      : { right: Math.max(4, window.innerWidth - button.right - 15) };
  return { top, maxHeight: window.innerHeight - top - 8, ...side };
}
