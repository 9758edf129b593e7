import clsx from "clsx";
import { Equal, ListTree } from "lucide-react";
import { memo } from "react";
import type { Preview, SpanEvent } from "@/api/client";
import { clock, day, moment } from "@/lib/format";
import { unixMs } from "@/lib/time";
import { visibleLine } from "@/lib/visible";
import { ErrorType } from "@/ui/error-type";
import { Cell } from "@/ui/grid";
import { KindIcon } from "@/ui/kind";
import { ListRow } from "@/ui/list";
import { SpanName } from "@/ui/span-name";
import { StatusMark } from "@/ui/status";
import type { RowPlace } from "@/ui/virtual-grid";
import { COLUMNS, Previewed, Text } from "./columns";
import { Cost, SoFar, Tokens } from "./event-figures";
import css from "./event-table.module.css";
import type { ColumnId } from "./url";

// Icons are too expensive to render again with each row that changes.
const Mark = memo(StatusMark);
const Kind = memo(KindIcon);
const COUNTED_ELSEWHERE = "Duplicate of another span of its run, counted there";
const DUPLICATE = (
  <span className={css.same} title={COUNTED_ELSEWHERE}>
    <Equal size={13} aria-hidden />
    <span className="visually-hidden">{COUNTED_ELSEWHERE}</span>
  </span>
);
const RUN_ICON = <ListTree size={14} aria-hidden />;

interface Props extends RowPlace {
  event: SpanEvent;
  /** Its input and output, once they are loaded. */
  preview: Preview | undefined;
  /** Whether its detail is shown. */
  chosen: boolean;
  /** The columns; null for the default ones. */
  columns: readonly ColumnId[] | null;
  onOpen: (event: SpanEvent) => void;
}

/** One span of the list. */
export const EventRow = memo(function EventRow(props: Props) {
  const { event, preview, chosen, columns, onOpen, ...place } = props;
  const at = unixMs(event.start_time_unix_nano);
  return (
    <ListRow {...place} aria-selected={chosen} className={clsx(chosen && css.chosen)} onClick={() => onOpen(event)}>
      <Cell className={css.time}>
        <time title={moment(at)}>{shortMoment(at)}</time>
      </Cell>
      <Cell className={css.status}>
        <Mark status={event.status} />
      </Cell>
      <Cell className={css.name}>
        <Kind kind={event.kind} />
        {event.folded_into !== null && DUPLICATE}
        <SpanName name={event.name} of={event} className={css.text} />
        <Extra event={event} columns={columns} />
        {event.error && !columns?.includes("error") && !columns?.includes("preview") && (
          <ErrorType type={event.error.type ?? "failed"} className={clsx(css.error, !columns && css.elsewhere)} />
        )}
      </Cell>
      {columns ? (
        <Chosen event={event} preview={preview} columns={columns} />
      ) : (
        <Usual event={event} preview={preview} />
      )}
      <Cell className={css.run}>
        {/* A router link costs more than the rest of the row, which matters at hundreds of rows a second. */}
        <a
          href={`#/traces/${event.trace_id}?span=${event.span_id}`}
          aria-label="Show in its run"
          title="Show in its run"
          tabIndex={-1}
          onClick={(clicked) => clicked.stopPropagation()}
        >
          {RUN_ICON}
        </a>
      </Cell>
    </ListRow>
  );
});

/** The tool or the model, where neither the name nor a column has it. */
function Extra({ event: { name, tool, model }, columns }: Pick<Props, "event" | "columns">) {
  const said = tool ?? model;
  if (columns !== null || !said || name.includes(said)) return null;
  return <bdi className={css.extra}>{visibleLine(said)}</bdi>;
}

/** The time of day, with its date unless it is today. */
function shortMoment(ms: number): string {
  return day(ms) === day(Date.now()) ? clock(ms, true) : `${day(ms).slice(5)} ${clock(ms)}`;
}

type Described = Pick<Props, "event" | "preview">;

function Chosen({ event, preview, columns }: Described & { columns: readonly ColumnId[] }) {
  return columns.map((id) => (
    <Cell key={id} className={COLUMNS[id].share ? clsx("cut", css.cell) : css.figure}>
      {COLUMNS[id].cell(event, preview)}
    </Cell>
  ));
}

function Usual({ event, preview }: Described) {
  return (
    <>
      <Cell className={clsx("cut", css.agent)}>
        <Text text={event.agent} />
      </Cell>
      <Cell className={css.preview}>
        <Previewed event={event} preview={preview} />
      </Cell>
      <Cell className={css.number}>
        <SoFar event={event} />
      </Cell>
      <Cell className={css.tokens}>
        <Tokens event={event} />
      </Cell>
      <Cell className={css.cost}>
        <Cost event={event} />
      </Cell>
    </>
  );
}
