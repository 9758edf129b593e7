/** The filter of a list, as in the URL; the names are those of the API. */

import { KINDS, NUMBER_FIELDS, PAIR_FIELDS, STATUSES, TEXT_FIELDS } from "./filter-fields";
import { apiTime, isMoment } from "./moments";

export { KINDS, PAIR_FIELDS, STATUSES, TEXT_FIELDS };
export type Kind = (typeof KINDS)[number];
export type Status = (typeof STATUSES)[number];

export type PairField = (typeof PAIR_FIELDS)[number];
export type TextField = (typeof TEXT_FIELDS)[number];
export type NumberField = (typeof NUMBER_FIELDS)[number];

export interface Filter
  extends Partial<Record<TextField, string>>,
    Partial<Record<NumberField, number>>,
    // `key=value`: the attribute `key`, or the arguments or the result at `key`, have this value; all must match.
    Partial<Record<PairField, string[]>> {
  kind?: Kind[];
  status?: Status[];
  /** As a person writes it (`15m`, `yesterday`, `2026-11-22T12:54`), RFC 3339, or nanoseconds. */
  since?: string;
  /** As `since`. */
  until?: string;
  /** Set to leave out spans that are duplicates of another one. */
  duplicates?: "false";
  /** Whether to leave out replays or include them; lists include them by default, figures leave them out. */
  replays?: "false" | "true";
  /** Labels by name, or with a condition on score or value: `quality>0.8`; all of them are required. */
  label?: string[];
}

/** Parameters of a URL: every value as text, repeated ones as lists. */
export type Search = Record<string, unknown>;

/** Parse a filter from a URL; invalid values are left out. */
export function filterOf(search: Search): Filter {
  const filter: Filter = {};
  for (const field of TEXT_FIELDS) {
    const text = textOf(search[field]);
    if (text) filter[field] = text;
  }
  for (const field of NUMBER_FIELDS) {
    const text = textOf(search[field]);
    const value = Number(text);
    if (text && Number.isFinite(value) && value >= 0) filter[field] = value;
  }
  const kind = oneOf(KINDS, search.kind);
  const status = oneOf(STATUSES, search.status);
  if (kind.length) filter.kind = kind;
  if (status.length) filter.status = status;
  if (textOf(search.duplicates) === "false") filter.duplicates = "false";
  const replays = textOf(search.replays);
  if (replays === "false" || replays === "true") filter.replays = replays;
  for (const field of ["since", "until"] as const) {
    const text = textOf(search[field]);
    if (text && isMoment(text)) filter[field] = text;
  }
  for (const field of PAIR_FIELDS) {
    const pairs = pairsOf(search[field]);
    if (pairs.length) filter[field] = pairs;
  }
  const label = [...new Set(listOf(search.label))].filter((each) => ASKED_LABEL.test(each));
  if (label.length) filter.label = label;
  return filter;
}

/** The syntax of a label in a filter, as in the API. */
export const ASKED_LABEL = /^[^<>=\0]{1,100}(?:[<>]=?-?\d{1,15}(?:\.\d{1,15})?|=[^\0]{1,200})?$/;

/** The query of an API request for a filter; relative times count back from `nowMs`, whole seconds. */
export function queryOf(filter: Filter, nowMs: number): Record<string, string | number | string[]> {
  const { since, until } = filter;
  const query: Record<string, string | number | string[]> = {};
  for (const [key, value] of Object.entries(filter)) if (value !== undefined) query[key] = value;
  if (since !== undefined) query.since = apiTime(since, nowMs) ?? since;
  if (until !== undefined) query.until = apiTime(until, nowMs) ?? until;
  for (const field of PAIR_FIELDS) {
    delete query[field];
    for (const pair of filter[field] ?? []) {
      const at = pair.indexOf("=");
      query[`${field}.${pair.slice(0, at)}`] = pair.slice(at + 1);
    }
  }
  return query;
}

/** Whether a filter narrows anything. */
export function isNarrow(filter: Filter): boolean {
  return Object.keys(filter).length > 0;
}

const OF_TIME = new Set(["since", "until", "replays"]);

/** Whether a filter narrows nothing but the time: the API counts the replays that figures leave out by time alone. */
export function isOfTime(filter: Filter): boolean {
  return Object.keys(filter).every((name) => OF_TIME.has(name));
}

/** The last value of each key: the API takes one value per key, and sixteen keys. */
function pairsOf(value: unknown): string[] {
  const pairs = listOf(value).filter((pair) => pair.indexOf("=") > 0);
  return [...new Map(pairs.map((pair) => [pair.slice(0, pair.indexOf("=")), pair])).values()].slice(0, 16);
}

function textOf(value: unknown): string | undefined {
  const first = listOf(value)[0];
  return first === undefined || first.includes("\0") ? undefined : first.slice(0, 2000);
}

function listOf(value: unknown): string[] {
  const list = Array.isArray(value) ? value : [value];
  return list.filter((each) => typeof each === "string" || typeof each === "number").map(String);
}

function oneOf<T extends string>(allowed: readonly T[], value: unknown): T[] {
  const given = new Set(listOf(value));
  return allowed.filter((each) => given.has(each));
}
