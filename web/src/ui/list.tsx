import clsx from "clsx";
import { ArrowDown, ArrowUp } from "lucide-react";
import type { HTMLAttributes, ReactNode } from "react";
import { compact, count, plural } from "@/lib/format";
import type { ListOrder } from "@/lib/sort";
import { Cell, ColumnHead, GridRow } from "./grid";
import css from "./list.module.css";

interface ListRowProps extends HTMLAttributes<HTMLDivElement> {
  place: number;
  /** Pixels from the top of the list. */
  top: number;
  active: boolean;
  children: ReactNode;
}

/** A row of a VirtualGrid, at its position, and marked while it has the cursor. */
export function ListRow({ top, active, className, ...rest }: ListRowProps) {
  return (
    <GridRow
      aria-selected={active}
      className={clsx(css.row, css.item, active && css.active, className)}
      style={{ transform: `translateY(${top}px)` }}
      {...rest}
    />
  );
}

interface ValueProps extends HTMLAttributes<HTMLDivElement> {
  /** The layout of its text: numbers to the right, other text truncated. */
  look?: "plain" | "number" | "text";
  /** Marks a value that indicates a problem. */
  bad?: boolean;
}

/** A value in a row; missing or zero values are muted. */
export function Value({ look = "plain", bad = false, className, children, ...rest }: ValueProps) {
  const none = children === null || children === "–" || children === "0";
  return (
    <Cell className={clsx(css[look], look === "text" && "cut", bad && css.bad, none && css.none, className)} {...rest}>
      {children ?? "–"}
    </Cell>
  );
}

/** The number of calls; the title has the number of spans if there are duplicates. */
export function CallsValue({ of }: { of: Counted }) {
  return (
    <Value look="number" title={duplicatesTitle(of)}>
      {count(of.calls)}
    </Value>
  );
}

interface Counted {
  calls: number;
  spans: number;
}

/** The number of duplicates beside the calls, in words; undefined for none. */
export function duplicatesTitle({ calls, spans }: Counted): string | undefined {
  return spans > calls ? `+ ${plural(spans - calls, "duplicate")}` : undefined;
}

interface Sums {
  input_tokens: number;
  output_tokens: number;
  cached_tokens: number;
}

/** Input and output tokens in short form; the title has them in full. */
export function TokenValue({ sums }: { sums: Sums }) {
  const { input_tokens, output_tokens } = sums;
  if (input_tokens === 0 && output_tokens === 0) return <Value look="number">–</Value>;
  return (
    <Value look="number" title={tokensTitle(sums)}>
      {compact(input_tokens)} <span className={css.arrow}>→</span> {compact(output_tokens)}
    </Value>
  );
}

/** Input and output tokens in a line of text; a dash if unknown. */
export function tokensText({ input_tokens, output_tokens }: Omit<Sums, "cached_tokens">): string {
  return input_tokens || output_tokens ? `${compact(input_tokens)} → ${compact(output_tokens)}` : "–";
}

/** Tokens in words: input, the cached part of it, and output. */
export function tokensTitle({ input_tokens, output_tokens, cached_tokens }: Sums): string {
  return `${count(input_tokens)} in, ${count(cached_tokens)} of them from a cache; ${count(output_tokens)} out`;
}

interface Column {
  name: string;
  sort?: ListOrder["sort"];
  number?: boolean;
  /** Hides the label visually, if the values are self-explanatory. */
  hidden?: boolean;
  /** Explains what it counts, if its name does not. */
  title?: string;
  /** A control beside the name. */
  control?: ReactNode;
}

interface HeadingsProps {
  columns: readonly Column[];
  by?: ListOrder;
  onSort?: (column: ListOrder["sort"]) => void;
}

/** The heading row of a VirtualGrid. */
export function HeadRow({ children }: { children: ReactNode }) {
  return (
    <GridRow place={1} className={clsx(css.row, css.heading)}>
      {children}
    </GridRow>
  );
}

/** The headings of the columns; those that can sort are buttons. */
export function Headings({ columns, by, onSort }: HeadingsProps) {
  const Arrow = by?.order === "desc" ? ArrowDown : ArrowUp;
  const direction = by?.order === "desc" ? ("descending" as const) : ("ascending" as const);
  return (
    <HeadRow>
      {columns.map(({ name, sort, number, hidden, title, control }) => (
        <ColumnHead
          key={name}
          className={clsx(number && css.number)}
          title={title}
          aria-sort={sort && (sort === by?.sort ? direction : "none")}
        >
          {control}
          {sort ? (
            <button type="button" className={css.sort} onClick={() => onSort?.(sort)}>
              {sort === by?.sort && <Arrow size={12} aria-hidden />}
              {name}
            </button>
          ) : (
            <span className={clsx(hidden && "visually-hidden")}>{name}</span>
          )}
        </ColumnHead>
      ))}
    </HeadRow>
  );
}
