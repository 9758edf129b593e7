import { Link } from "@tanstack/react-router";
import clsx from "clsx";
import { ArrowDown, ArrowUp } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { Filter } from "@/lib/filter";
import type { Sort } from "@/lib/sort";
import css from "./bar-table.module.css";
import { Button } from "./button";

/** The filter and order that a list opens with. */
export interface ListSearch extends Filter {
  sort?: Sort;
}

export interface BarColumn<Id extends string> {
  id: Id;
  label: string;
}

export interface BarCell {
  text: string;
  /** The list behind the number; null if there is none. */
  search: ListSearch | null;
  /** The link's tooltip. */
  title?: string;
  alarm?: boolean;
}

export interface BarRow<Id extends string> {
  key: string;
  name: ReactNode;
  search: ListSearch;
  cells: Record<Id, BarCell>;
  /** The length of its bar, between 0 and 1. */
  share: number;
}

interface Props<Id extends string> {
  title: string;
  columns: readonly BarColumn<Id>[];
  rows: readonly BarRow<Id>[];
  /** The page that the numbers link to. */
  to: "/" | "/spans";
  rank: Id;
  order: "asc" | "desc";
  onRank: (rank: Id) => void;
  /** A note below the rows. */
  note?: string | null;
}

const FEW = 8;
const MORE = 100;

/** Figures by the values of a field: numbers are links, headings sort, bars show the share of the sorted column. */
export function BarTable<Id extends string>({ title, columns, rows, to, rank, order, onRank, note }: Props<Id>) {
  const [most, setMost] = useState(FEW);
  const left = rows.length - most;
  const Arrow = order === "asc" ? ArrowUp : ArrowDown;
  return (
    <div className={css.frame}>
      <table className={css.table}>
        <caption className="visually-hidden">{title}</caption>
        <thead>
          <tr>
            <th scope="col" className={css.name}>
              <h3 className={css.title}>{title}</h3>
            </th>
            {columns.map(({ id, label }) => (
              <th
                key={id}
                scope="col"
                className={css.number}
                aria-sort={id === rank ? (order === "asc" ? "ascending" : "descending") : undefined}
              >
                <button type="button" className={clsx(css.sort, id === rank && css.sorted)} onClick={() => onRank(id)}>
                  {id === rank && <Arrow size={11} aria-hidden />}
                  {label}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, most).map((row) => (
            <tr key={row.key} className={css.row}>
              <th scope="row" className={css.name}>
                <Link to={to} search={row.search} preload={false} className={clsx("cut", css.link)}>
                  {row.name}
                </Link>
                <span className={css.track} aria-hidden>
                  <span className={css.bar} style={{ width: `${row.share * 100}%` }} />
                </span>
              </th>
              {columns.map(({ id }) => (
                <td key={id} className={css.number}>
                  <NumberLink cell={row.cells[id]} to={to} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {(left > 0 || note) && (
        <p className={css.foot}>
          {left > 0 && (
            <Button look="plain" onClick={() => setMost(most === FEW ? MORE : most + MORE)}>
              {left > MORE ? `Show ${MORE} more of ${left}` : `Show ${left} more`}
            </Button>
          )}
          {note}
        </p>
      )}
    </div>
  );
}

function NumberLink({ cell, to }: { cell: BarCell; to: "/" | "/spans" }) {
  if (!cell.search) return <span className={css.none}>{cell.text}</span>;
  return (
    <Link
      to={to}
      search={cell.search}
      preload={false}
      title={cell.title}
      className={clsx(css.link, cell.alarm && css.alarm)}
    >
      {cell.text}
    </Link>
  );
}
