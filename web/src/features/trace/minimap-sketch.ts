import { KINDS } from "@/lib/filter";
import { endMs, type SpanRow } from "@/lib/spans";
import type { Range } from "./time-scale";

/** A trace drawn with few cells, however many spans it has. */
export interface Sketch {
  columns: number;
  lanes: number;
  /** Lane after lane; 0 where there is nothing, otherwise one more than the place of the kind in `KINDS`. */
  cells: Uint8Array;
  /** By column: `FAILED` if something failed in it, `LOST` if something was lost and nothing failed, otherwise 0. */
  failures: Uint8Array;
}

export const LOST = 1;
export const FAILED = 2;

const CODES = new Map(KINDS.map((kind, at) => [kind, at + 1]));

/** Draw rows from top to bottom in `order`; if several share a cell, the last one shows. */
export function sketchOf(
  rows: readonly SpanRow[],
  order: Int32Array,
  range: Range,
  size: { columns: number; lanes: number },
  nowMs: number,
): Sketch {
  const { columns } = size;
  const lanes = Math.max(1, Math.min(size.lanes, order.length));
  const cells = new Uint8Array(columns * lanes);
  const failures = new Uint8Array(columns);
  const scale = columns / (range.to - range.from);
  for (let place = 0; place < order.length; place++) {
    const row = rows[order[place] as number] as SpanRow;
    const start = Math.floor((row.startMs - range.from) * scale);
    const from = Math.min(columns - 1, Math.max(0, start));
    const to = Math.min(columns, Math.max(from + 1, Math.ceil((endMs(row, nowMs) - range.from) * scale)));
    const lane = Math.floor((place * lanes) / order.length) * columns;
    cells.fill(CODES.get(row.kind) as number, lane + from, lane + to);
    // At its end: that is when it is known.
    if (row.status === "error") failures[to - 1] = FAILED;
    else if (row.status === "lost") failures[to - 1] ||= LOST;
  }
  return { columns, lanes, cells, failures };
}

/** Cells of one code as the `d` of an SVG path, with a cell as the unit; equal neighbours are one rectangle. */
export function pathOf({ columns, lanes, cells }: Sketch, code: number): string {
  let path = "";
  for (let lane = 0; lane < lanes; lane++) {
    const end = (lane + 1) * columns;
    for (let at = cells.indexOf(code, lane * columns); at >= 0 && at < end; at = cells.indexOf(code, at)) {
      let to = at;
      while (to < end && cells[to] === code) to++;
      path += `M${at - lane * columns} ${lane}h${to - at}v1h${at - to}z`;
      at = to;
    }
  }
  return path;
}
