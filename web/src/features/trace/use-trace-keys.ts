import { keyOf } from "@/lib/shortcuts";
import { useCommands } from "@/ui/commands";
import { copyByKey } from "@/ui/copy-note";
import { useKeys } from "@/ui/use-keys";
import { VIEWS, type View } from "./url";

interface Acts {
  view: View;
  onView: (view: View) => void;
  onFind: () => void;
  onMatch: (by: 1 | -1) => void;
  /** Back to the list of runs. */
  onList: () => void;
  /** Where something failed. */
  onFailure?: (by: 1 | -1) => void;
  /** Where something still runs. */
  onOpenCall?: () => void;
}

/** What the keys and the palette do on the page of a run, whichever view shows. */
export function useTraceKeys({ view, onView, onFind, onMatch, onList, onFailure, onOpenCall }: Acts): void {
  const copyLink = () => copyByKey(location.href, "the link");
  useKeys({
    ...(onFailure && { nextFailure: () => onFailure(1), previousFailure: () => onFailure(-1) }),
    ...(onOpenCall && { oldestOpen: onOpenCall }),
    find: onFind,
    nextMatch: () => onMatch(1),
    previousMatch: () => onMatch(-1),
    waterfall: () => onView("waterfall"),
    graph: () => onView("graph"),
    transcript: () => onView("transcript"),
    copyLink,
    toList: onList,
  });

  useCommands([
    ...VIEWS.filter((each) => each !== view).map((each) => ({
      id: `view-${each}`,
      title: `Show this run as a ${each}`,
      keys: keyOf(each),
      run: () => onView(each),
    })),
    ...(onFailure
      ? [
          {
            id: "next-failure",
            title: "Go to the next failure",
            keys: keyOf("nextFailure"),
            words: "error",
            run: () => onFailure(1),
          },
        ]
      : []),
    ...(view === "graph" ? [] : [{ id: "find", title: "Find in this run", keys: keyOf("find"), run: onFind }]),
    ...(onOpenCall
      ? [
          {
            id: "oldest-open",
            title: "Go to the oldest open call",
            keys: keyOf("oldestOpen"),
            words: "running stuck",
            run: onOpenCall,
          },
        ]
      : []),
    { id: "copy-link", title: "Copy a link to this view", keys: keyOf("copyLink"), run: copyLink },
  ]);
}
