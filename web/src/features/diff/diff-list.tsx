import clsx from "clsx";
import { useMemo } from "react";
import { isServed } from "@/api/client";
import type { DiffCall, DiffStep } from "@/api/diff";
import { previewKey, useSight } from "@/api/use-sight";
import { plural } from "@/lib/format";
import { Cell } from "@/ui/grid";
import { Headings, ListRow } from "@/ui/list";
import { type RowPlace, VirtualGrid } from "@/ui/virtual-grid";
import css from "./diff-list.module.css";
import { DiffRow } from "./diff-row";
import { type Row, rowsOf } from "./rows";

interface Props {
  steps: readonly DiffStep[];
  /** The index of the selected call. */
  at: number | null;
  all: boolean;
  onSelect: (place: number) => void;
  /** Show the equal calls that begin at an index. */
  onExpand: (place: number) => void;
}

const COLUMNS = [
  { name: "Sign", hidden: true },
  { name: "First run" },
  { name: "Second run" },
  { name: "Differs" },
] as const;

/** Of runs that are equal nothing differs. */
const COLUMNS_OF_EQUAL = COLUMNS.slice(0, 3);

const NO_STEPS: readonly undefined[] = [];

/** The calls of both runs, side by side. */
export function DiffList({ steps, at, all, onSelect, onExpand }: Props) {
  const rows = useMemo(() => rowsOf(steps, at, all), [steps, at, all]);
  const keys = useMemo(() => rows.map(({ kind, step }) => `${kind} ${step}`), [rows]);
  const shown = useMemo(() => rows.map(({ kind, step }) => (kind === "call" ? steps[step] : undefined)), [rows, steps]);
  const { previews, onSight } = useSight(isServed() ? shown : NO_STEPS, callsOf);
  const isEqual = steps.every(({ differences }) => differences.length === 0);
  const inputOf = (call: DiffCall | null) => (call && previews.get(previewKey(call))?.input) ?? null;
  function open(row: Row | undefined) {
    if (row) (row.kind === "call" ? onSelect : onExpand)(row.step);
  }
  return (
    <VirtualGrid
      label="Calls of both runs"
      noun="call"
      className={clsx(css.calls, isEqual && css.equalRuns)}
      keys={keys}
      head={<Headings columns={isEqual ? COLUMNS_OF_EQUAL : COLUMNS} />}
      more="none"
      onMore={() => {}}
      at={rows.findIndex(({ kind, step }) => kind === "call" && step === at)}
      onOpen={(index) => open(rows[index])}
      onSight={onSight}
      row={(index, place) => {
        const row = rows[index];
        const step = row && steps[row.step];
        if (!row || !step) return null;
        if (row.kind === "equal") return <Equal key={keys[index]} row={row} {...place} onOpen={() => open(row)} />;
        return (
          <DiffRow
            key={keys[index]}
            {...place}
            step={step}
            inputA={inputOf(step.a)}
            inputB={inputOf(step.b)}
            chosen={row.step === at}
            isEqual={isEqual}
            onOpen={() => open(row)}
          />
        );
      }}
    />
  );
}

/** The calls of a step, whose inputs tell rows with the same name apart. */
function callsOf(step: DiffStep | undefined) {
  const calls = step ? [step.a, step.b].filter((call) => call !== null) : [];
  return calls.map((call) => ({ key: previewKey(call), running: call.status === "running" }));
}

interface EqualProps extends RowPlace {
  row: Row & { kind: "equal" };
  onOpen: () => void;
}

/** The number of equal calls between two that differ; a click shows them. */
function Equal({ row, onOpen, ...place }: EqualProps) {
  return (
    <ListRow {...place} onClick={onOpen} className={css.equal}>
      <Cell />
      <Cell className={css.count}>{plural(row.count, "equal call")}</Cell>
    </ListRow>
  );
}
