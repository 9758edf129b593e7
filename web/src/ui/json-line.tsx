import clsx from "clsx";
import { ChevronRight, ListFilter, Route } from "lucide-react";
import { memo } from "react";
import { count, plural } from "@/lib/format";
import { ExactNumber, isContainer, plainText, preview, scalarText } from "@/lib/json";
import { jsonPath } from "@/lib/json-path";
import { type JsonRow, NEXT_CHUNK, stepsTo } from "@/lib/json-rows";
import { type Side, spansWith } from "@/lib/same-value";
import { visible, visibleLine } from "@/lib/visible";
import { CopyButton } from "./button";
import css from "./json-view.module.css";
import { LongText } from "./message-text";

interface Props {
  row: JsonRow;
  id: string;
  place: number;
  active: boolean;
  /** Whether its buttons are shown. */
  tools: boolean;
  side: Side | undefined;
}

const DEEPEST_INDENT = 16;

/** One line of a JSON tree. */
export const JsonLine = memo(function JsonLine({ row, id, place, active, tools, side }: Props) {
  const container = row.shape === "open" || row.shape === "closed";
  return (
    <div
      role="treeitem"
      id={id}
      aria-level={row.depth + 1}
      aria-expanded={container ? row.shape === "open" : undefined}
      aria-selected={active}
      tabIndex={-1}
      data-place={place}
      className={clsx(css.line, active && css.active, row.shape !== "scalar" && css.foldable)}
      style={{ paddingLeft: `${Math.min(row.depth, DEEPEST_INDENT) * 0.875}rem` }}
    >
      <span className={css.mark}>
        {container && <ChevronRight size={12} aria-hidden className={row.shape === "open" ? css.open : undefined} />}
      </span>
      <span className={css.content}>
        {row.depth > DEEPEST_INDENT && <span className={css.dim}>level {row.depth + 1} · </span>}
        {row.key !== null && <Key row={row} />}
        <Value row={row} />
      </span>
      {tools && row.shape !== "more" && (
        <span className={css.lineTools}>
          {side && row.shape === "scalar" && <SpansWith side={side} row={row} />}
          <CopyButton text={() => jsonPath(stepsTo(row))} label="Copy path">
            <Route size={12} aria-hidden />
          </CopyButton>
          <CopyButton text={() => plainText(row.value)} label="Copy value" />
        </span>
      )}
    </div>
  );
});

function SpansWith({ side, row }: { side: Side; row: JsonRow }) {
  const address = spansWith(side, stepsTo(row), row.value);
  if (address === null) return null;
  const words = side === "args" ? "Spans with this argument" : "Spans with this result";
  return (
    <a href={address} className={css.find} aria-label={words} title={`${words} (f)`} tabIndex={-1}>
      <ListFilter size={12} aria-hidden />
    </a>
  );
}

/** A text, not a style, so that a copied selection has it. */
const COLON = <span className={css.colon}>: </span>;

function Key({ row }: { row: JsonRow }) {
  if (typeof row.key === "number") {
    return (
      <span className={css.index}>
        {row.key}
        {COLON}
      </span>
    );
  }
  const shown = visibleLine(row.key ?? "");
  return (
    <>
      <bdi className={css.key} title={shown.length > 60 ? shown.slice(0, 1000) : undefined}>
        {shown === "" ? '""' : shown.length > 200 ? `${shown.slice(0, 200)}…` : shown}
      </bdi>
      {COLON}
      {row.overridden && <span className={css.dim}>(duplicate key) </span>}
    </>
  );
}

function Value({ row }: { row: JsonRow }) {
  switch (row.shape) {
    case "more":
      return (
        <span className={css.more}>
          Show {count(Math.min(NEXT_CHUNK, row.count))} more{row.count > NEXT_CHUNK && ` of ${count(row.count)}`}
        </span>
      );
    case "open":
      return <span className={css.dim}>{sizeText(row)}</span>;
    case "closed":
      return (
        <span className={css.preview}>
          {visibleLine(preview(row.value))} <span className={css.dim}>{sizeText(row)}</span>
        </span>
      );
    default:
      return <Scalar value={row.value} />;
  }
}

/** A value without members, in the colour of its type. */
export function Scalar({ value }: { value: unknown }) {
  if (typeof value === "string") {
    return value.length < 200 && !value.includes("\n") ? (
      <span className={css.string}>
        <span className={css.quote}>"</span>
        <bdi>{visible(value)}</bdi>
        <span className={css.quote}>"</span>
      </span>
    ) : (
      <LongText text={value} lines={8} className={css.string} />
    );
  }
  if (isContainer(value)) return <span className={css.dim}>{Array.isArray(value) ? "[] empty" : "{} empty"}</span>;
  const number = typeof value === "number" || value instanceof ExactNumber;
  return <span className={number ? css.number : css.word}>{scalarText(value)}</span>;
}

function sizeText(row: JsonRow): string {
  return Array.isArray(row.value) ? plural(row.count, "item") : plural(row.count, "key");
}
