import type { Run } from "@/api/client";
import { plural } from "@/lib/format";
import type { ActionOn } from "@/lib/shortcuts";
import type { ListOrder } from "@/lib/sort";
import { Headings } from "@/ui/list";
import { type More, VirtualGrid } from "@/ui/virtual-grid";
import { RunRow } from "./run-row";
import css from "./runs-list.module.css";
import type { Selection } from "./use-selection";

interface Props {
  runs: readonly Run[];
  /** The ids of the runs. */
  keys: readonly string[];
  /** What it lists, to find its place in it again. */
  list: string;
  by: ListOrder;
  /** The searched text. */
  q: string | undefined;
  more: More;
  onMore: () => void;
  onSort: (column: ListOrder["sort"]) => void;
  onOpen: (runId: string, elsewhere: boolean) => void;
  selection: Selection;
  onDelete: (runIds: Iterable<string>) => void;
  /** Compare the two selected runs, or else this run with the previous one of its program. */
  onCompare: (run: Run) => void;
  /** Label a run good or bad, or remove that label. */
  onJudge: (run: Run, name: "good" | "bad") => void;
}

const COLUMNS = [
  { name: "Run" },
  { name: "Agent" },
  { name: "Time spent" },
  { name: "Duration", sort: "duration", number: true },
  { name: "Calls", number: true },
  { name: "Errors", number: true, title: "Failed calls; a run can continue after one and still succeed" },
  { name: "Models" },
  { name: "Tokens", sort: "tokens", number: true },
  { name: "Cost", sort: "cost", number: true },
  { name: "Started", sort: "time", number: true },
  { name: "Actions", hidden: true },
] as const;

/** Runs in rows, each with its input and output. */
export function RunsList({ runs, keys, list, by, q, more, onMore, onSort, onOpen, selection, ...acts }: Props) {
  const { keys: picked, toggle, all } = selection;
  const { onDelete, onCompare, onJudge } = acts;
  const columns = [
    { name: "Status", hidden: true, control: <PickAll of={keys} picked={picked} onAll={all} /> },
    ...COLUMNS,
  ];
  function act(action: ActionOn<"Runs">, run: Run) {
    if (action === "pick" || action === "pickRange") toggle(run.run_id, action === "pickRange");
    else if (action === "compare") onCompare(run);
    else if (action === "remove") onDelete(picked.size > 0 ? picked : [run.run_id]);
    else onJudge(run, action === "praise" ? "good" : "bad");
  }
  return (
    <VirtualGrid
      label="Runs"
      noun="run"
      className={css.runs}
      lines={2}
      items={runs}
      keyOf={idOf}
      list={list}
      head={<Headings columns={columns} by={by} onSort={onSort} />}
      more={more}
      onMore={onMore}
      onOpen={(run) => onOpen(run.run_id, false)}
      onAction={act}
      row={(run, place) => (
        <RunRow
          key={run.run_id}
          {...{ run, q, onOpen, onDelete }}
          {...place}
          picked={picked.has(run.run_id)}
          onPick={toggle}
        />
      )}
    />
  );
}

function idOf(run: Run): string {
  return run.run_id;
}

interface PickAllProps {
  of: readonly string[];
  picked: ReadonlySet<string>;
  onAll: (on: boolean) => void;
}

function PickAll({ of, picked, onAll }: PickAllProps) {
  const everything = picked.size === of.length;
  return (
    <input
      type="checkbox"
      className={css.pick}
      data-any={picked.size > 0 || undefined}
      aria-label={`Select all ${plural(of.length, "loaded run")}`}
      title={`Select all ${plural(of.length, "loaded run")}`}
      checked={everything}
      ref={(box) => {
        if (box) box.indeterminate = picked.size > 0 && !everything;
      }}
      onChange={() => onAll(!everything)}
    />
  );
}
