import { type UnixNano, unixMs } from "@/lib/time";

/** One slice of time with its counts. */
export interface Bin {
  fromMs: number;
  toMs: number;
  count: number;
  errors: number;
}

interface Slice {
  start_time_unix_nano: UnixNano;
  count: number;
  errors: number;
}

/** Shorter slices are not useful: all runs become one bin. */
const LEAST_MS = 1;

/** Bins from the slices that the API counted; a single one if everything happened at the same moment. */
export function binsOf(slices: readonly Slice[]): Bin[] {
  const first = slices[0];
  const second = slices[1];
  if (!first) return [];
  const from = unixMs(first.start_time_unix_nano);
  const width = second ? unixMs(second.start_time_unix_nano) - from : 0;
  if (width < LEAST_MS) {
    const sum = (value: (slice: Slice) => number) => slices.reduce((total, slice) => total + value(slice), 0);
    const toMs = Math.max(from + LEAST_MS, from + width * slices.length);
    return [{ fromMs: from, toMs, count: sum((slice) => slice.count), errors: sum((slice) => slice.errors) }];
  }
  return slices.map(({ start_time_unix_nano, count, errors }, at) => {
    const next = slices[at + 1];
    const fromMs = unixMs(start_time_unix_nano);
    return { fromMs, toMs: next ? unixMs(next.start_time_unix_nano) : fromMs + width, count, errors };
  });
}

/** The sum of neighbouring bins, with their time range; the two ends can be in either order. */
export function sumOf(bins: readonly Bin[], one: number, other: number): Bin {
  const chosen = bins.slice(Math.min(one, other), Math.max(one, other) + 1);
  return {
    fromMs: chosen[0]?.fromMs ?? 0,
    toMs: chosen.at(-1)?.toMs ?? 0,
    count: chosen.reduce((total, bin) => total + bin.count, 0),
    errors: chosen.reduce((total, bin) => total + bin.errors, 0),
  };
}

/** The time range of a bin for a filter: whole milliseconds that include all of the bin. */
export function rangeOf(bin: Bin): { since: string; until: string } {
  return {
    since: new Date(Math.floor(bin.fromMs)).toISOString(),
    until: new Date(Math.ceil(bin.toMs)).toISOString(),
  };
}

/** The bin at a position between 0 (left) and 1 (right). */
export function binAt(place: number, count: number): number {
  return Math.max(0, Math.min(count - 1, Math.floor(place * count)));
}

/** The height of a bin as a share of the full height: 1 for the fullest, and visible for any that is not empty. */
export function heightOf(value: number, most: number): number {
  return value === 0 || most === 0 ? 0 : Math.max(0.08, value / most);
}
