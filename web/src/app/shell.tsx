import { Link, Outlet } from "@tanstack/react-router";
import { Activity, ChartNoAxesColumn, Layers, Monitor, Moon, Rows3, Search, Sun } from "lucide-react";
import { DeletionBar } from "@/features/runs/deletion-bar";
import { Button } from "@/ui/button";
import { CopyNote } from "@/ui/copy-note";
import { Announcement } from "./announcement";
import { Banner } from "./banner";
import { openPalette, Palette } from "./palette";
import css from "./shell.module.css";
import { Shortcuts } from "./shortcuts";
import { applyTheme, THEMES, useTheme } from "./theme";
import { Trouble } from "./trouble";
import { useFocusOnPage } from "./use-focus-on-page";

const PLACES = [
  { to: "/", label: "Runs", Icon: Rows3 },
  { to: "/sessions", label: "Sessions", Icon: Layers },
  { to: "/spans", label: "Spans", Icon: Activity },
  { to: "/stats", label: "Stats", Icon: ChartNoAxesColumn },
] as const;

const PALETTE_KEYS = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘K" : "Ctrl K";

const THEME_ICON = { system: Monitor, light: Sun, dark: Moon };

/** The frame around every page: where one is, what one can do, and whether the server answers. */
export function Shell() {
  const theme = useTheme();
  const ThemeIcon = THEME_ICON[theme];
  useFocusOnPage();
  return (
    <div className={css.shell}>
      <button type="button" className={css.skip} onClick={() => document.getElementById("main")?.focus()}>
        Skip to content
      </button>
      <header className={css.bar}>
        <Link to="/" className={css.name} aria-label="Inspector, all runs">
          <svg viewBox="0 0 32 32" width="20" height="20" aria-hidden>
            <rect width="32" height="32" rx="8" fill="var(--accent-ground)" />
            <path d="M8 10h16M11 16h10M14 22h5" stroke="#fff" strokeWidth="3" strokeLinecap="round" />
          </svg>
          <span className={css.word}>Inspector</span>
        </Link>
        <nav aria-label="Pages" className={css.places}>
          {PLACES.map(({ to, label, Icon }) => (
            <Link key={to} to={to} className={css.place} activeOptions={{ exact: to === "/", includeSearch: false }}>
              <Icon size={15} aria-hidden />
              {label}
            </Link>
          ))}
        </nav>
        <div className={css.tools}>
          <Button onClick={openPalette} aria-keyshortcuts="Meta+K Control+K" className={css.find}>
            <Search size={14} aria-hidden />
            <span className={css.word}>Find or go to</span>
            <kbd className={css.key}>{PALETTE_KEYS}</kbd>
          </Button>
          <Button
            look="plain"
            onClick={() => applyTheme(THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "system")}
            title={`Theme: ${theme}`}
            aria-label={`Theme: ${theme}`}
          >
            <ThemeIcon size={16} aria-hidden />
          </Button>
        </div>
      </header>
      <Announcement />
      <Banner />
      <Trouble />
      <main id="main" tabIndex={-1} className={css.main}>
        <Outlet />
      </main>
      <DeletionBar />
      <CopyNote />
      <Palette />
      <Shortcuts />
    </div>
  );
}
