import { type Ref, useMemo } from "react";
import { keyOf } from "@/lib/shortcuts";
import type { SpanRow } from "@/lib/spans";
import type { Tree } from "@/lib/tree";
import { useCommands } from "@/ui/commands";
import { useKeys } from "@/ui/use-keys";
import { useTraceAddress } from "./address";
import { FindPlace } from "./find-place";
import type { Picture } from "./picture";
import { TraceToolbar } from "./trace-toolbar";
import type { TraceSearch } from "./url";
import type { Clock } from "./use-clock";
import type { Find } from "./use-find";
import { ALL_LEVELS, useOutline } from "./use-outline";
import type { Selection } from "./use-selection";
import { useZoom } from "./use-zoom";
import { Waterfall } from "./waterfall";

interface Props {
  runId: string | null;
  picture: Picture;
  complete: boolean;
  search: TraceSearch;
  selection: Selection;
  clock: Clock;
  find: Find;
  onEnter: () => void;
  ref: Ref<{ focus: () => void }> & { current: { focus: () => void } | null };
}

/** The waterfall with its tools. */
export function TraceWaterfall(props: Props) {
  const { picture, complete, search, selection, clock, find, onEnter, ref } = props;
  const { rows, tree, kinds, duplicates, inferred, levels } = picture;
  const address = useTraceAddress();
  const shown = search.same === "0" ? standIn(rows, tree, selection.id) : selection.id;
  const outline = useOutline({ picture, complete, asked: search, selected: shown });
  const zoom = useZoom(search.zoom, clock.whole);
  const matched = useMemo(() => new Set(find.matches), [find.matches]);

  function onChange(change: TraceSearch) {
    void address.change((before) => ({ ...before, ...change }), true);
  }

  function onDepth(depth: number) {
    outline.forget();
    // All levels stay open when the run grows another level.
    onChange({ depth: depth < levels ? depth : ALL_LEVELS });
  }

  const follow = () => onChange({ follow: search.follow === "1" ? undefined : "1" });

  useKeys({
    collapseAll: () => onDepth(1),
    expandAll: () => onDepth(ALL_LEVELS),
    zoomIn: () => zoom.scale(0.5),
    zoomOut: () => zoom.scale(2),
    zoomReset: zoom.reset,
    ...(clock.running && { followNewest: follow }),
  });

  useCommands([
    {
      id: "path",
      title: search.path ? "Hide the critical path" : "Show the critical path",
      run: () => onChange({ path: search.path ? undefined : "1" }),
    },
    ...(duplicates > 0
      ? [
          {
            id: "same",
            title: outline.once ? "Show duplicates" : "Hide duplicates",
            run: () => onChange({ same: outline.once ? undefined : "0" }),
          },
        ]
      : []),
    { id: "close-all", title: "Collapse everything", keys: keyOf("collapseAll"), run: () => onDepth(1) },
    { id: "open-all", title: "Expand everything", keys: keyOf("expandAll"), run: () => onDepth(ALL_LEVELS) },
  ]);

  return (
    <>
      <TraceToolbar
        {...{ search, onChange, kinds, zoom, find }}
        folded={outline.folded}
        duplicates={duplicates}
        inferred={inferred.rows}
        running={clock.running}
        onLeaveFind={() => ref.current?.focus()}
      />
      <FindPlace find={find} />
      <Waterfall
        {...{ rows, tree, outline, clock, zoom, levels, onDepth, onEnter, ref }}
        runId={props.runId}
        selection={{ ...selection, id: shown }}
        matches={matched}
        path={picture.path}
        follow={search.follow === "1"}
        onLeave={() => onChange({ follow: undefined })}
      />
    </>
  );
}

/** The span that shows for a duplicate that is hidden. */
function standIn(rows: readonly SpanRow[], tree: Tree, id: string | null): string | null {
  return rows[tree.places.get(id ?? "") ?? -1]?.foldedInto ?? id;
}
