import { Link } from "@tanstack/react-router";
import { Activity, ChartNoAxesColumn, Layers, Rows3, Search } from "lucide-react";
import { DeletionBar } from "@/features/runs/deletion-bar";
import { SHORTCUTS } from "@/lib/shortcuts";
import { Button } from "@/ui/button";
import { CopyNote } from "@/ui/copy-note";
import { Announcement } from "./announcement";
import { Banner } from "./banner";
import { MainPage } from "./main-page";
import { Mark } from "./mark";
import { openPalette, Palette } from "./palette";
import css from "./shell.module.css";
import { Shortcuts } from "./shortcuts";
import { ThemeButton } from "./theme-button";
import { Trouble } from "./trouble";
import { useFocusOnPage } from "./use-focus-on-page";
import { usePlaceKeys } from "./use-place-keys";

const PLACES = [
  { to: "/", label: "Runs", Icon: Rows3 },
  { to: "/sessions", label: "Sessions", Icon: Layers },
  { to: "/spans", label: "Spans", Icon: Activity },
  { to: "/stats", label: "Stats", Icon: ChartNoAxesColumn },
] as const;

const ALL_SHORTCUTS = Object.values(SHORTCUTS);
const PALETTE_KEYS = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘K" : "Ctrl K";

/** The frame around every page: navigation, commands and the state of the server. */
export function Shell() {
  useFocusOnPage();
  usePlaceKeys();
  return (
    <div className={css.shell}>
      <button type="button" className={css.skip} onClick={() => document.getElementById("main")?.focus()}>
        Skip to content
      </button>
      <header className={css.bar}>
        <Link to="/" className={css.name} aria-label="Inspector, all runs">
          <Mark />
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
          <ThemeButton />
        </div>
      </header>
      <Announcement />
      <Banner />
      <Trouble />
      <MainPage />
      <DeletionBar />
      <CopyNote />
      <Palette />
      <Shortcuts of={ALL_SHORTCUTS} />
    </div>
  );
}
