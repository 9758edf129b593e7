import { type Action, SHORTCUTS, type Shortcut } from "@/lib/shortcuts";
import { CopyNote } from "@/ui/copy-note";
import { MainPage } from "./main-page";
import { Mark } from "./mark";
import css from "./shell.module.css";
import { Shortcuts } from "./shortcuts";
import { ThemeButton } from "./theme-button";

const OTHER_PAGES: ReadonlySet<Shortcut["page"]> = new Set(["Runs", "Spans"]);
/** Actions that need a server: other pages, and changes. */
const SERVED: ReadonlySet<Action> = new Set<Action>([
  "palette",
  "toRuns",
  "toSessions",
  "toSpans",
  "toStats",
  "toList",
  "copyLink",
  "labelGood",
  "labelBad",
  "labelRun",
  "labelSpan",
  "followNewest",
  "sameValue",
]);

const KEPT_OF_TWO = (Object.entries(SHORTCUTS) as [Action, Shortcut][])
  .filter(([action, { page }]) => !SERVED.has(action) && !OTHER_PAGES.has(page))
  .map(([, shortcut]) => shortcut);
const KEPT = KEPT_OF_TWO.filter(({ page }) => page !== "Two runs");

/** The frame around the run in a file. */
export function RunShell() {
  return <FileShell what="A run as it was recorded, kept in this file" shortcuts={KEPT} />;
}

/** The frame around the comparison in a file. */
export function DiffShell() {
  return <FileShell what="Two runs as they were recorded, kept in this file" shortcuts={KEPT_OF_TWO} />;
}

function FileShell({ what, shortcuts }: { what: string; shortcuts: Shortcut[] }) {
  return (
    <div className={css.shell}>
      <button type="button" className={css.skip} onClick={() => document.getElementById("main")?.focus()}>
        Skip to content
      </button>
      <header className={css.bar}>
        <span className={css.name}>
          <Mark />
          <span className={css.word}>Inspector</span>
        </span>
        <span className={css.kept}>{what}</span>
        <div className={css.tools}>
          <ThemeButton />
        </div>
      </header>
      <MainPage />
      <CopyNote />
      <Shortcuts of={shortcuts} />
    </div>
  );
}
