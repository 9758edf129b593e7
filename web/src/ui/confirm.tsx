import { type ReactNode, useState } from "react";
import { Button } from "./button";
import css from "./confirm.module.css";
import { Dialog } from "./dialog";

interface Props {
  open: boolean;
  onClose: () => void;
  title: string;
  /** The label of the button that confirms. */
  action: string;
  /** Runs on confirmation; the dialog stays open and shows the error if it fails. */
  run: () => Promise<void>;
  children: ReactNode;
}

/** Asks before something that cannot be undone. */
export function Confirm({ open, onClose, title, action, run, children }: Props) {
  return (
    <Dialog open={open} onClose={onClose} title={title}>
      <Question action={action} run={run} onClose={onClose}>
        {children}
      </Question>
    </Dialog>
  );
}

function Question({ action, run, onClose, children }: Pick<Props, "action" | "run" | "onClose" | "children">) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);

  async function go() {
    setBusy(true);
    setError(null);
    try {
      await run();
      onClose();
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : "That failed.");
    } finally {
      setBusy(false);
    }
  }

  return (
    <div className={css.question}>
      <div className={css.text}>{children}</div>
      {error && (
        <p className={css.error} role="alert">
          {error}
        </p>
      )}
      <div className={css.actions}>
        <Button ref={focused} onClick={onClose}>
          Cancel
        </Button>
        <Button className={css.danger} disabled={busy} onClick={() => void go()}>
          {action}
        </Button>
      </div>
    </div>
  );
}

/** The safe answer gets the focus: `showModal` reads the attribute, which React does not write. */
function focused(button: HTMLButtonElement | null) {
  button?.setAttribute("autofocus", "");
}
