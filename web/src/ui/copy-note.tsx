import { Check, X } from "lucide-react";
import { useEffect, useSyncExternalStore } from "react";
import { copyText } from "@/lib/clipboard";
import { storeOf } from "@/lib/store";
import css from "./copy-note.module.css";

/** The last copy, and whether it worked; null once it was shown long enough. */
const note = storeOf<{ what: string; copied: boolean } | null>(null);
const SHOWN_MS = 2500;

/** Copy by a key. Without a button, `CopyNote` says whether it worked. */
export async function copyByKey(text: string, what: string): Promise<void> {
  note.set({ what, copied: await copyText(text) });
}

/** Briefly says what a key copied, or that the browser did not allow it. */
export function CopyNote() {
  const shown = useSyncExternalStore(note.subscribe, note.get);
  useEffect(() => {
    if (shown === null) return;
    const timer = window.setTimeout(() => note.set(null), SHOWN_MS);
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
