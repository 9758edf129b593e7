import { useState } from "react";

/** A number that this browser remembers, such as the width of a panel. */
export function useStoredNumber(key: string, initial: number): [number, (value: number) => void] {
  const [value, setValue] = useState(() => stored(key) ?? initial);
  function set(next: number) {
    setValue(next);
    try {
      localStorage.setItem(key, String(next));
    } catch {
      // A browser without storage keeps the number until the page is closed.
    }
  }
  return [value, set];
}

function stored(key: string): number | null {
  try {
    const value = Number(localStorage.getItem(key) ?? Number.NaN);
    return Number.isFinite(value) ? value : null;
  } catch {
    return null;
  }
}
