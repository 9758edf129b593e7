import { Link } from "@tanstack/react-router";
import { ArrowDown, ArrowUp } from "lucide-react";
import type { ReactNode } from "react";
import type { Sort } from "@/lib/sort";
import { ColumnHead } from "@/ui/grid";
import css from "./event-table.module.css";
import type { EventsSearch } from "./url";

interface Props {
  search: EventsSearch;
  /** Null for time: the live list. */
  by: Sort | null;
  className: string | undefined;
  children: ReactNode;
}

/** A column header that sorts: the first click puts the largest first, the second the smallest. */
export function SortHeader({ search, by, className, children }: Props) {
  const { sort, order, ...rest } = search;
  const current = (sort ?? null) === by;
  const next: EventsSearch =
    by === null ? rest : { ...rest, sort: by, ...(current && order !== "asc" && { order: "asc" }) };
  const Icon = order === "asc" ? ArrowUp : ArrowDown;
  return (
    <ColumnHead className={className} aria-sort={current ? (order === "asc" ? "ascending" : "descending") : undefined}>
      <Link to="/spans" search={next} replace preload={false} className={css.sort}>
        {children}
        {current && <Icon size={12} aria-hidden />}
      </Link>
    </ColumnHead>
  );
}
