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
  const shown = useMemo(() => rows.map(({ kind, step }) => (kind === "call" ? steps[step] : undefined)), [rows, steps]);
  const { previews, onSight } = useSight(isServed() ? shown : NO_STEPS, callsOf);
  const isEqual = steps.every(({ differences }) => differences.length === 0);
  const inputOf = (call: DiffCall | null) => (call && previews.get(previewKey(call))?.input) ?? null;
  const open = (row: Row) => (row.kind === "call" ? onSelect : onExpand)(row.step);
  return (
    <VirtualGrid
      label="Calls of both runs"
      noun="call"
      className={clsx(css.calls, isEqual && css.equalRuns)}
      items={rows}
      keyOf={keyOf}
      head={<Headings columns={isEqual ? COLUMNS_OF_EQUAL : COLUMNS} />}
      more="none"
      onMore={() => {}}
      at={rows.findIndex(({ kind, step }) => kind === "call" && step === at)}
      onOpen={open}
      onSight={onSight}
      row={(row, place) => {
        const step = steps[row.step];
        if (!step) return null;
        if (row.kind === "equal") return <Equal key={keyOf(row)} row={row} {...place} onOpen={() => open(row)} />;
        return (
          <DiffRow
            key={keyOf(row)}
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

function keyOf({ kind, step }: Row): string {
  return `${kind} ${step}`;
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
