/** A keyboard shortcut, as shown in the overview and the documentation. */
export interface Shortcut {
  /** The pages where it works. */
  page: "Everywhere" | "Lists" | "Runs" | "A run" | "Two runs" | "JSON" | "Spans";
  /** Alternatives; the keys of a sequence are separated by a space. */
  keys: readonly string[];
  what: string;
}

/** All shortcuts: key listeners, the overview and the documentation read them here. */
export const SHORTCUTS = {
  palette: { page: "Everywhere", keys: ["⌘K", "Ctrl+K"], what: "Find or go to" },
  help: { page: "Everywhere", keys: ["?"], what: "Show the shortcuts" },
  toRuns: { page: "Everywhere", keys: ["g r"], what: "Go to the runs" },
  toSessions: { page: "Everywhere", keys: ["g s"], what: "Go to the sessions" },
  toSpans: { page: "Everywhere", keys: ["g l"], what: "Go to the spans" },
  toStats: { page: "Everywhere", keys: ["g t"], what: "Go to the stats" },
  search: { page: "Everywhere", keys: ["/"], what: "Search on this page" },
  nextRow: { page: "Lists", keys: ["j", "↓"], what: "Next row" },
  previousRow: { page: "Lists", keys: ["k", "↑"], what: "Previous row" },
  pageDown: { page: "Lists", keys: ["Page Down"], what: "Down 20 rows" },
  pageUp: { page: "Lists", keys: ["Page Up"], what: "Up 20 rows" },
  firstRow: { page: "Lists", keys: ["Home"], what: "First row" },
  lastRow: { page: "Lists", keys: ["End"], what: "Last loaded row" },
  openRow: { page: "Lists", keys: ["Enter"], what: "Open the row" },
  pick: { page: "Runs", keys: ["x"], what: "Select or deselect the run" },
  pickRange: { page: "Runs", keys: ["Shift+X"], what: "Select all runs from the last one" },
  compare: { page: "Runs", keys: ["c"], what: "Compare the two selected runs, or this one with the run before it" },
  remove: { page: "Runs", keys: ["Delete"], what: "Delete the selected runs, or this one (a minute to undo)" },
  praise: { page: "Runs", keys: ["+"], what: "Label the run good; again to undo" },
  fault: { page: "Runs", keys: ["-"], what: "Label the run bad; again to undo" },
  expand: { page: "A run", keys: ["→"], what: "Expand the span, or go to its first child" },
  collapse: { page: "A run", keys: ["←"], what: "Collapse the span, or go to its parent" },
  collapseAll: { page: "A run", keys: ["["], what: "Collapse everything" },
  expandAll: { page: "A run", keys: ["]"], what: "Expand everything" },
  nextFailure: { page: "A run", keys: ["e"], what: "Next failure" },
  previousFailure: { page: "A run", keys: ["Shift+E"], what: "Previous failure" },
  oldestOpen: { page: "A run", keys: ["o"], what: "Oldest open call, then the next" },
  followNewest: { page: "A run", keys: ["Shift+F"], what: "Follow the newest call of a live run, on or off" },
  find: { page: "A run", keys: ["f", "/"], what: "Find in the run" },
  nextMatch: { page: "A run", keys: ["n"], what: "Next match" },
  previousMatch: { page: "A run", keys: ["Shift+N"], what: "Previous match" },
  zoomIn: { page: "A run", keys: ["+", "="], what: "Zoom in" },
  zoomOut: { page: "A run", keys: ["-"], what: "Zoom out" },
  zoomReset: { page: "A run", keys: ["0"], what: "Show the whole time" },
  waterfall: { page: "A run", keys: ["1"], what: "Waterfall" },
  graph: { page: "A run", keys: ["2"], what: "Graph" },
  transcript: { page: "A run", keys: ["3"], what: "Transcript" },
  labelGood: { page: "A run", keys: ["Shift+G"], what: "Label the run good; again to undo" },
  labelBad: { page: "A run", keys: ["Shift+B"], what: "Label the run bad; again to undo" },
  labelRun: { page: "A run", keys: ["l"], what: "Add a label or a note to the run" },
  labelSpan: { page: "A run", keys: ["Shift+L"], what: "Label the span" },
  copySpan: { page: "A run", keys: ["c"], what: "Copy the span, in a form of a menu" },
  copyLink: { page: "A run", keys: ["y"], what: "Copy a link to this view" },
  toList: { page: "A run", keys: ["u"], what: "Up to the runs, filtered as before" },
  leaveDetail: { page: "A run", keys: ["Escape"], what: "Back from the detail to the list" },
  nextDifference: { page: "Two runs", keys: ["n"], what: "Next difference" },
  previousDifference: { page: "Two runs", keys: ["Shift+N"], what: "Previous difference" },
  showEqual: { page: "Two runs", keys: ["a"], what: "Show or hide equal calls" },
  copyComparison: { page: "Two runs", keys: ["y"], what: "Copy a link to the comparison" },
  toggleValue: { page: "JSON", keys: ["Enter", "Space"], what: "Open or close the value" },
  openValue: { page: "JSON", keys: ["→"], what: "Open the value, or go into it" },
  closeValue: { page: "JSON", keys: ["←"], what: "Close the value, or go out of it" },
  copyValue: { page: "JSON", keys: ["c"], what: "Copy the value" },
  copyPath: { page: "JSON", keys: ["p"], what: "Copy its path" },
  sameValue: { page: "JSON", keys: ["f"], what: "Spans with the same argument or result" },
  labelListedSpan: { page: "Spans", keys: ["Shift+L"], what: "Label the span" },
  copyListedSpan: { page: "Spans", keys: ["c"], what: "Copy the span, in a form of a menu" },
  pause: { page: "Spans", keys: ["Space"], what: "Pause or resume" },
  closeDetail: { page: "Spans", keys: ["Escape"], what: "Close the detail" },
} as const satisfies Record<string, Shortcut>;

/** The name of a shortcut's action. */
export type Action = keyof typeof SHORTCUTS;

/** The actions of one page. */
export type ActionOn<Page extends Shortcut["page"]> = {
  [Each in Action]: (typeof SHORTCUTS)[Each]["page"] extends Page ? Each : never;
}[Action];

/** A key press. */
interface Press {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

/** The name of a press as in `SHORTCUTS`, such as `Shift+E`, `Page Down` or `Ctrl+K`. */
export function nameOfPress({ key, ctrlKey, metaKey, altKey }: Press): string {
  if (altKey) return `Alt+${key}`;
  if (ctrlKey || metaKey) return `${ctrlKey ? "Ctrl+" : "⌘"}${key.toUpperCase()}`;
  if (key.length === 1 && key !== key.toLowerCase()) return `Shift+${key}`;
  return NAMES.get(key) ?? key;
}

const NAMES = new Map([
  ["ArrowUp", "↑"],
  ["ArrowDown", "↓"],
  ["ArrowLeft", "←"],
  ["ArrowRight", "→"],
  ["PageUp", "Page Up"],
  ["PageDown", "Page Down"],
  [" ", "Space"],
]);

/** Whether a press, or a sequence of them, triggers an action. */
export function isPressed(action: Action, press: string): boolean {
  const { keys }: Shortcut = SHORTCUTS[action];
  return keys.includes(press);
}

/** The action of a press on a page; null for none. */
export function actionOn<Page extends Shortcut["page"]>(page: Page, press: Press): ActionOn<Page> | null {
  const name = nameOfPress(press);
  for (const [action, shortcut] of Object.entries(SHORTCUTS) as [Action, Shortcut][])
    if (shortcut.page === page && shortcut.keys.includes(name)) return action as ActionOn<Page>;
  return null;
}

/** The key to show beside an action. */
export function keyOf(action: Action): string {
  return SHORTCUTS[action].keys[0];
}
