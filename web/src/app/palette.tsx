import { lazy, Suspense, useRef, useSyncExternalStore } from "react";
import { useKeys } from "@/ui/use-keys";
import { collectText, takeText } from "./early-text";

const PaletteDialog = lazy(async () => ({ default: (await import("./palette-dialog")).PaletteDialog }));

const listeners = new Set<() => void>();
let isOpen = false;

function setOpen(next: boolean): void {
  isOpen = next;
  if (next) collectText();
  else takeText();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Opens the command palette. */
export function openPalette(): void {
  setOpen(true);
}

/** The command palette, loaded at its first use; `⌘K` and `Ctrl+K` open and close it. */
export function Palette() {
  const open = useSyncExternalStore(subscribe, () => isOpen);
  const wasOpen = useRef(false);
  if (open) wasOpen.current = true;
  useKeys({ palette: () => setOpen(!isOpen) });
  if (!open && !wasOpen.current) return null;
  return (
    <Suspense fallback={null}>
      <PaletteDialog open={open} onClose={() => setOpen(false)} />
    </Suspense>
  );
}
