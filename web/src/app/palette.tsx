import { lazy, Suspense, useRef, useSyncExternalStore } from "react";
import { storeOf } from "@/lib/store";
import { useKeys } from "@/ui/use-keys";
import { collectText, takeText } from "./early-text";

const PaletteDialog = lazy(async () => ({ default: (await import("./palette-dialog")).PaletteDialog }));

const isOpen = storeOf(false);

function setOpen(next: boolean): void {
  if (next) collectText();
  else takeText();
  isOpen.set(next);
}

/** Opens the command palette. */
export function openPalette(): void {
  setOpen(true);
}

/** The command palette, loaded at its first use; `⌘K` and `Ctrl+K` open and close it. */
export function Palette() {
  const open = useSyncExternalStore(isOpen.subscribe, isOpen.get);
  const wasOpen = useRef(false);
  if (open) wasOpen.current = true;
  useKeys({ palette: () => setOpen(!isOpen.get()) });
  if (!open && !wasOpen.current) return null;
  return (
    <Suspense fallback={null}>
      <PaletteDialog open={open} onClose={() => setOpen(false)} />
    </Suspense>
  );
}
