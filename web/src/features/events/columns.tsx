import type { ReactNode } from "react";
import type { Preview, SpanEvent } from "@/api/client";
import { errorLine } from "@/lib/error-name";
import type { Sort } from "@/lib/sort";
import { CallPreview } from "@/ui/call-preview";
import { ErrorType } from "@/ui/error-type";
import { kindLabel } from "@/ui/kind";
import { Recorded } from "@/ui/recorded";
import { Cost, SoFar, Tokens } from "./event-figures";
import css from "./event-table.module.css";
import type { ColumnId } from "./url";

export interface Column {
  label: string;
  /** The minimum width in rem. */
  least: number;
  /** The share of the remaining width; 0 for figures. */
  share: number;
  sort?: Sort;
  cell: (event: SpanEvent, preview: Preview | undefined) => ReactNode;
}

const text = (label: string, value: (event: SpanEvent) => string | null): Column => ({
  label,
  least: 7,
  share: 1,
  cell: (event) => <Text text={value(event)} />,
});

/** The columns, besides time, status and name. */
export const COLUMNS: Record<ColumnId, Column> = {
  kind: text("Kind", ({ kind }) => kindLabel(kind)),
  agent: text("Agent", ({ agent }) => agent),
  model: text("Model", ({ model }) => model),
  tool: text("Tool", ({ tool }) => tool),
  service: text("Service", ({ service }) => service),
  session: text("Session", (event) => event.session_id),
  run: { label: "Run", least: 7, share: 1, cell: (event) => <RunLink event={event} /> },
  error: {
    label: "Error",
    least: 9,
    share: 1,
    cell: ({ error }) =>
      error ? <ErrorType type={error.type ?? "failed"} className={css.failed} /> : <Text text={null} />,
  },
  preview: {
    label: "Input → output",
    least: 12,
    share: 2,
    cell: (event, preview) => <Previewed event={event} preview={preview} />,
  },
  duration: { label: "Duration", least: 5.5, share: 0, sort: "duration", cell: (event) => <SoFar event={event} /> },
  tokens: { label: "Tokens", least: 8, share: 0, sort: "tokens", cell: (event) => <Tokens event={event} /> },
  cost: { label: "Cost", least: 5.5, share: 0, sort: "cost", cell: (event) => <Cost event={event} /> },
};

const FIXED_REM = 6.75 + 1.5 + 1.75;
const NAME_REM = 12;
const GAP_REM = 0.75;

/** The tracks of a grid with these columns, and the minimum width before it scrolls. */
export function tracksOf(columns: readonly ColumnId[]): { columns: string; least: string } {
  const shown = columns.map((id) => COLUMNS[id]);
  const tracks = shown.map(({ least, share }) => (share ? `minmax(${least}rem, ${share}fr)` : `${least}rem`));
  const least = shown.reduce((sum, column) => sum + column.least + GAP_REM, FIXED_REM + NAME_REM + 3 * GAP_REM + 2);
  return { columns: `6.75rem 1.5rem minmax(${NAME_REM}rem, 2.4fr) ${tracks.join(" ")} 1.75rem`, least: `${least}rem` };
}

/** A recorded text, or a dash. */
export function Text({ text: shown }: { text: string | null }) {
  return shown === null ? <span className={css.none}>–</span> : <Recorded text={shown} />;
}

/** Its input and output; until they are loaded its error, which the list has. */
export function Previewed({ event: { error }, preview }: { event: SpanEvent; preview: Preview | undefined }) {
  if (preview) return <CallPreview of={preview} />;
  if (error === null) return null;
  return <CallPreview of={{ input: null, output: null, error: errorLine(error) }} />;
}

function RunLink({ event }: { event: SpanEvent }) {
  return (
    <a
      href={`#/traces/${event.trace_id}?span=${event.span_id}`}
      tabIndex={-1}
      onClick={(clicked) => clicked.stopPropagation()}
    >
      {event.trace_id.slice(0, 8)}
    </a>
  );
}
