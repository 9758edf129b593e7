/** A key that does something, as the overview of shortcuts and the documentation show it. */
export interface Shortcut {
  /** The page it works on. */
  page: "Everywhere" | "Lists" | "Runs" | "A run" | "JSON" | "Spans";
  /** Alternatives; the keys of a sequence are separated by a blank. */
  keys: readonly string[];
  what: string;
}

/** Every shortcut there is, once. */
export const SHORTCUTS: readonly Shortcut[] = [
  { page: "Everywhere", keys: ["⌘K", "Ctrl+K"], what: "Find or go to" },
  { page: "Everywhere", keys: ["?"], what: "Show the shortcuts" },
  { page: "Everywhere", keys: ["g r"], what: "Go to the runs" },
  { page: "Everywhere", keys: ["g s"], what: "Go to the sessions" },
  { page: "Everywhere", keys: ["g l"], what: "Go to the spans" },
  { page: "Everywhere", keys: ["g t"], what: "Go to the stats" },
  { page: "Everywhere", keys: ["/"], what: "Search on this page" },
  { page: "Lists", keys: ["j", "↓"], what: "Next row" },
  { page: "Lists", keys: ["k", "↑"], what: "Previous row" },
  { page: "Lists", keys: ["Page Down"], what: "Down 20 rows" },
  { page: "Lists", keys: ["Page Up"], what: "Up 20 rows" },
  { page: "Lists", keys: ["Home"], what: "First row" },
  { page: "Lists", keys: ["End"], what: "Last row that is loaded" },
  { page: "Lists", keys: ["Enter"], what: "Open the row" },
  { page: "Runs", keys: ["x"], what: "Select the run, or let it go" },
  { page: "Runs", keys: ["Shift+X"], what: "Select all runs from the last one" },
  { page: "Runs", keys: ["Delete"], what: "Delete the selected runs, else this one (a minute to undo)" },
  { page: "Runs", keys: ["+"], what: "Label the run good, or no longer" },
  { page: "Runs", keys: ["-"], what: "Label the run bad, or no longer" },
  { page: "A run", keys: ["→"], what: "Expand the span, or go to its first child" },
  { page: "A run", keys: ["←"], what: "Collapse the span, or go to its parent" },
  { page: "A run", keys: ["["], what: "Collapse everything" },
  { page: "A run", keys: ["]"], what: "Expand everything" },
  { page: "A run", keys: ["e"], what: "Next failure" },
  { page: "A run", keys: ["Shift+E"], what: "Previous failure" },
  { page: "A run", keys: ["o"], what: "Oldest open call, then the next" },
  { page: "A run", keys: ["Shift+F"], what: "Follow the newest call of a live run, or no longer" },
  { page: "A run", keys: ["f", "/"], what: "Find in the run" },
  { page: "A run", keys: ["n"], what: "Next match" },
  { page: "A run", keys: ["Shift+N"], what: "Previous match" },
  { page: "A run", keys: ["+"], what: "Zoom in" },
  { page: "A run", keys: ["-"], what: "Zoom out" },
  { page: "A run", keys: ["0"], what: "Show the whole time" },
  { page: "A run", keys: ["1"], what: "Waterfall" },
  { page: "A run", keys: ["2"], what: "Graph" },
  { page: "A run", keys: ["3"], what: "Transcript" },
  { page: "A run", keys: ["Shift+G"], what: "Label the run good, or no longer" },
  { page: "A run", keys: ["Shift+B"], what: "Label the run bad, or no longer" },
  { page: "A run", keys: ["l"], what: "Label the run with anything, or a note" },
  { page: "A run", keys: ["Shift+L"], what: "Label the span" },
  { page: "A run", keys: ["y"], what: "Copy a link to what shows" },
  { page: "A run", keys: ["u"], what: "Up to the runs" },
  { page: "A run", keys: ["Escape"], what: "Back from the detail to the list" },
  { page: "JSON", keys: ["Enter", "Space"], what: "Open or close the value" },
  { page: "JSON", keys: ["c"], what: "Copy the value" },
  { page: "JSON", keys: ["p"], what: "Copy its path" },
  { page: "JSON", keys: ["f"], what: "Spans with the same argument or result" },
  { page: "Spans", keys: ["Shift+L"], what: "Label the span" },
  { page: "Spans", keys: ["Space"], what: "Pause or resume" },
  { page: "Spans", keys: ["Escape"], what: "Close the detail" },
];

/** The second key of the sequences that begin with `g`, and where they go. */
export const PLACE_KEYS = { r: "/", s: "/sessions", l: "/spans", t: "/stats" } as const;

/** Whether a key is meant for what has the focus, such as a field that is typed in, and not for the page. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches("input, textarea, select");
}

/** Whether a key is one for the page: no shortcut of the browser, and not for what has the focus or lies above the page. */
export function isForPage(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return false;
  if (document.querySelector("dialog[open]:modal")) return false;
  if (!(event.target instanceof Element)) return true;
  if (event.target.closest("dialog, [popover]")) return false;
  return event.key !== " " || event.target.closest(PRESSED) === null;
}

/** What the space bar presses. */
const PRESSED = "button, summary, [role=button], [role=tab], [role=menuitem]";
