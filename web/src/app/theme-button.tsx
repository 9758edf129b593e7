import { Monitor, Moon, Sun } from "lucide-react";
import { Button } from "@/ui/button";
import { applyTheme, THEMES, useTheme } from "./theme";

const ICONS = { system: Monitor, light: Sun, dark: Moon };

/** Switches to the next theme. */
export function ThemeButton() {
  const theme = useTheme();
  const Icon = ICONS[theme];
  return (
    <Button
      look="plain"
      onClick={() => applyTheme(THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "system")}
      title={`Theme: ${theme}`}
      aria-label={`Theme: ${theme}`}
    >
      <Icon size={16} aria-hidden />
    </Button>
  );
}
