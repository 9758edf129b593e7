import type { HTMLAttributes, ReactNode } from "react";

/*
 * The parts of a virtual list with columns. They are not table elements, because rows out of view do not exist. Nothing
 * in them is focusable, because the grid itself has the focus and points at a row with aria-activedescendant.
 */

interface RowProps extends HTMLAttributes<HTMLDivElement> {
  /** The index in the whole list, from one; the heading is the first row. */
  place: number;
  children: ReactNode;
}

/** A row; clicks only duplicate its link and the grid's keys. */
export function GridRow({ place, ...rest }: RowProps) {
  // biome-ignore lint/a11y: see the top of this file
  return <div role="row" aria-rowindex={place} {...rest} />;
}

/** A value in a row. */
export function Cell(props: HTMLAttributes<HTMLDivElement>) {
  // biome-ignore lint/a11y: see the top of this file
  return <div role="gridcell" {...props} />;
}

/** The heading of a column. */
export function ColumnHead(props: HTMLAttributes<HTMLDivElement>) {
  // biome-ignore lint/a11y: see the top of this file
  return <div role="columnheader" {...props} />;
}

/** A group of rows: the headings, or the values. */
export function RowGroup(props: HTMLAttributes<HTMLDivElement>) {
  // biome-ignore lint/a11y: see the top of this file
  return <div role="rowgroup" {...props} />;
}
