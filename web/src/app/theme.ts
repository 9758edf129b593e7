import { useSyncExternalStore } from "react";
import { storeOf } from "@/lib/store";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const KEY = "inspector.theme";

/** The last theme that was chosen in this browser. */
export function storedTheme(): Theme {
  try {
    const value = localStorage.getItem(KEY);
    return THEMES.find((theme) => theme === value) ?? "system";
  } catch {
    return "system";
  }
}

const current = storeOf(storedTheme());

/** Show the page in a theme; `system` follows the browser. */
export function applyTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // A browser without storage keeps the theme until the page is closed.
  }
  current.set(theme);
}

export function useTheme(): Theme {
  return useSyncExternalStore(current.subscribe, current.get);
}
