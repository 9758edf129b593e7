import { useMemo } from "react";
import type { Trace } from "@/api/client";
import type { RunOrder } from "@/lib/run-pages";
import type { RunItem } from "@/lib/session-groups";
import { Headings } from "@/ui/list";
import { VirtualGrid } from "@/ui/virtual-grid";
import { RunRow } from "./run-row";
import css from "./runs-list.module.css";
import { SessionRow } from "./session-row";

interface Props {
  items: readonly RunItem<Trace>[];
  by: RunOrder;
  /** What was searched for. */
  q: string | undefined;
  more: "none" | "there" | "coming" | "failed";
  onMore: () => void;
  onSort: (column: RunOrder["sort"]) => void;
  onFold: (sessionId: string | null) => void;
  onOpen: (traceId: string, elsewhere: boolean) => void;
  onDelete: (run: Trace) => void;
}

const COLUMNS = [
  { name: "Status", hidden: true },
  { name: "Run" },
  { name: "Agent" },
  { name: "Time spent" },
  { name: "Duration", sort: "duration", number: true },
  { name: "Calls", number: true },
  { name: "Errors", number: true, title: "Calls that failed; a run can go on after one and end well" },
  { name: "Models" },
  { name: "Tokens", number: true },
  { name: "Cost", sort: "cost", number: true },
  { name: "Session" },
  { name: "Began", sort: "time", number: true },
  { name: "Actions", hidden: true },
] as const;

/** Runs in rows, below the headings of their sessions where they are grouped. */
export function RunsList({ items, by, q, more, onMore, onSort, onFold, onOpen, onDelete }: Props) {
  const keys = useMemo(() => items.map((item) => item.key), [items]);
  const grouped = items[0]?.group != null;
  return (
    <VirtualGrid
      label="Runs"
      noun="run"
      className={css.runs}
      keys={keys}
      head={<Headings columns={COLUMNS} by={by} onSort={onSort} />}
      more={more}
      onMore={onMore}
      onOpen={(index) => {
        const item = items[index];
        if (item?.run) onOpen(item.run.trace_id, false);
        else if (item) onFold(item.group.sessionId);
      }}
      onDelete={(index) => {
        const run = items[index]?.run;
        if (run) onDelete(run);
      }}
      row={(index, place) => {
        const item = items[index];
        if (!item) return null;
        return item.run ? (
          <RunRow
            key={item.key}
            run={item.run}
            q={q}
            {...place}
            indented={grouped}
            onOpen={onOpen}
            onDelete={onDelete}
          />
        ) : (
          <SessionRow
            key={item.key}
            group={item.group}
            folded={item.folded}
            partial={more !== "none"}
            {...place}
            onFold={onFold}
          />
        );
      }}
    />
  );
}
