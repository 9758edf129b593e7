/** Points in time as a person writes them, by the same rules as the CLI: `2 days ago`, `yesterday 14:30`. */

const UNITS = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 } as const;
const AGO =
  /^(\d{1,9}(?:\.\d{1,9})?|an?(?= ))\s*(s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)(?:\s+ago)?$/i;
const NANOSECONDS = /^[0-9]{1,20}$/;
const ZONED = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,40})?([Zz]|[+-]\d\d:\d\d)$/;
const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const LOCAL = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)([Zz]|[+-]\d\d:\d\d)?$/;
const NAMED =
  /^(today|yesterday|(?:mon|tues|wednes|thurs|fri|satur|sun)day)?(?:\s+|^|$)(?:(\d{1,2}):(\d\d)(?::(\d\d))?)?$/;
const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

/** How long ago a relative time is, in milliseconds: `15m`, `2 days ago`; null for any other. */
export function relativeMs(text: string): number | null {
  const match = AGO.exec(text.trim());
  if (!match) return null;
  const number = /^an?$/i.test(match[1] ?? "") ? 1 : Number(match[1]);
  return number * UNITS[(match[2] ?? "s").charAt(0).toLowerCase() as keyof typeof UNITS] * 1000;
}

/** A point in time in the API's format, RFC 3339 or nanoseconds; null for any other text. */
export function apiTime(text: string, nowMs: number): string | null {
  const written = text.trim();
  if (NANOSECONDS.test(written)) return written;
  if (ZONED.test(written)) return Number.isNaN(Date.parse(written)) ? null : written;
  const ms = momentMs(written, nowMs);
  return ms === null || Number.isNaN(ms) || ms < 0 ? null : new Date(ms).toISOString();
}

/** Whether a text names a point in time. */
export function isMoment(text: string): boolean {
  return apiTime(text, Date.now()) !== null;
}

function momentMs(text: string, nowMs: number): number | null {
  const back = relativeMs(text);
  // Whole seconds, so that a repeated query has the same key.
  if (back !== null) return Math.max(0, Math.floor((nowMs - back) / 1000) * 1000);
  if (text.toLowerCase() === "now") return Math.floor(nowMs / 1000) * 1000;
  const date = DATE.exec(text);
  if (date) return dayMs(Number(date[1]), Number(date[2]), Number(date[3]));
  const local = LOCAL.exec(text);
  if (local) return Date.parse(`${local[1]}T${local[2]}${local[3]?.toUpperCase() ?? ""}`);
  return namedMs(text.toLowerCase(), nowMs);
}

/** The first moment of a day; null for a date that does not exist. */
function dayMs(year: number, month: number, day: number): number | null {
  const at = new Date(year, month - 1, day);
  return at.getMonth() === month - 1 && at.getDate() === day ? at.getTime() : null;
}

function namedMs(text: string, nowMs: number): number | null {
  const match = text === "" ? null : NAMED.exec(text);
  if (!match) return null;
  const [, name = "today", hours = "0", minutes = "0", seconds = "0"] = match;
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return null;
  const now = new Date(nowMs);
  const back = daysBack(name, now.getDay());
  const at = new Date(now.getFullYear(), now.getMonth(), now.getDate() - back);
  at.setHours(Number(hours), Number(minutes), Number(seconds));
  return at.getTime();
}

/** If today is this weekday, the last one was a week ago. */
function daysBack(name: string, weekday: number): number {
  if (name === "today") return 0;
  if (name === "yesterday") return 1;
  return (weekday - WEEKDAYS.indexOf(name) + 7) % 7 || 7;
}
