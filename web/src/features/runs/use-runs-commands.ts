import { changed } from "@/lib/conditions";
import { type Filter, isNarrow } from "@/lib/filter";
import { useCommands } from "@/ui/commands";

interface Shown {
  filter: Filter;
  onFilter: (filter: Filter) => void;
}

/** The commands of the palette on the runs page. */
export function useRunsCommands({ filter, onFilter }: Shown): void {
  const failuresAlone = filter.status?.length === 1 && filter.status[0] === "error";
  useCommands([
    {
      id: "failed-runs",
      title: failuresAlone ? "Show runs of every status" : "Show only failed runs",
      words: "errors status filter",
      run: () => onFilter(changed(filter, { status: failuresAlone ? undefined : ["error"] })),
    },
    ...(isNarrow(filter)
      ? [{ id: "clear-filter", title: "Clear the filter", words: "all runs", run: () => onFilter({}) }]
      : []),
  ]);
}
