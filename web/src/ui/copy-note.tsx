import { Check, X } from "lucide-react";
import { useEffect, useSyncExternalStore } from "react";
import { copyText } from "@/lib/clipboard";
import css from "./copy-note.module.css";

/** The last copy, and whether it worked; null once it was shown long enough. */
let note: { what: string; copied: boolean } | null = null;
const listeners = new Set<() => void>();
const SHOWN_MS = 2500;

function become(next: typeof note): void {
  note = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Copy by a key. Without a button, `CopyNote` says whether it worked. */
export async function copyByKey(text: string, what: string): Promise<void> {
  become({ what, copied: await copyText(text) });
}

/** Briefly says what a key copied, or that the browser did not allow it. */
export function CopyNote() {
  const shown = useSyncExternalStore(subscribe, () => note);
  useEffect(() => {
    if (shown === null) return;
    const timer = window.setTimeout(() => become(null), SHOWN_MS);
    return () => window.clearTimeout(timer);
  }, [shown]);
  const Icon = shown?.copied ? Check : X;
  return (
    <div role="status" className={css.place}>
      {shown && (
        <p className={css.note}>
          <Icon size={14} aria-hidden />
          {shown.copied ? `Copied ${shown.what}.` : `The browser did not let the page copy ${shown.what}.`}
        </p>
      )}
    </div>
  );
}
