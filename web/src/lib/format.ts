/**
 * Numbers for people. Everything is rounded to visible precision, without false digits.
 *
 * `inspector/cli/output/figures.py` has the same rules; `tests/figures.json` tests both.
 */

const NO_VALUE = "–";

/** A duration: `3.2 ms`, `840 ms`, `1.93 s`, `2 m 05 s`, `3 h 20 m`; negative if two clocks disagree. */
export function duration(ms: number | null | undefined): string {
  if (ms == null) return NO_VALUE;
  if (ms < 0) return `−${duration(-ms)}`;
  if (ms === 0) return "0 ms";
  if (ms < 0.001) return "<1 µs";
  if (ms < 0.9995) return `${Math.round(ms * 1000)} µs`;
  if (ms < 10) return `${ms.toFixed(2)} ms`;
  if (ms < 999.5) return `${ms.toFixed(ms < 100 ? 1 : 0)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(ms < 9_995 ? 2 : 1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${pad(seconds % 60)} s`;
  const minutes = Math.round(ms / 60_000);
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${pad(minutes % 60)} m`;
  return `${count(Math.round(minutes / 1440))} d`;
}

/** A whole number with separators: `12,345`. */
export function count(value: number | null | undefined): string {
  return value == null ? NO_VALUE : value.toLocaleString("en-US");
}

/** A short count: `950`, `4.9k`, `1.2M`. */
export function compact(value: number | null | undefined): string {
  if (value == null) return NO_VALUE;
  if (Math.abs(value) < 1000) return String(value);
  return value.toLocaleString("en-US", { notation: "compact", maximumFractionDigits: 1 }).replace("K", "k");
}

/** Dollars: four decimals below a dollar, cents above: `$0.0070`, `$1.25`, `$1,204.00`. */
export function dollars(value: number | null | undefined): string {
  if (value == null) return NO_VALUE;
  if (value === 0) return "$0";
  if (value < 0) return `−${dollars(-value)}`;
  if (value < 0.0001) return "<$0.0001";
  if (value < 0.99995) return `$${value.toFixed(4)}`;
  return `$${value.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}

/** A size: `812 B`, `3.4 kB`, `2.1 MB`. */
export function bytes(value: number): string {
  if (value < 1000) return `${value} B`;
  for (const [unit, size] of [
    ["kB", 1e3],
    ["MB", 1e6],
    ["GB", 1e9],
  ] as const) {
    if (value < size * 999.5 || unit === "GB") return `${(value / size).toFixed(value < size * 9.95 ? 1 : 0)} ${unit}`;
  }
  return `${value} B`;
}

/** A share of a whole: `42 %`, `<1 %`; `100 %` only if it is all. */
export function percent(share: number): string {
  if (share > 0 && share < 0.01) return "<1 %";
  if (share > 0.99 && share < 1) return ">99 %";
  return `${Math.round(share * 100)} %`;
}

/** One noun or several: `1 error`, `3 errors`. */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** The time of day, optionally with milliseconds: `14:03:27`. */
export function clock(ms: number, withMs = false): string {
  const at = new Date(ms);
  const text = `${pad(at.getHours())}:${pad(at.getMinutes())}:${pad(at.getSeconds())}`;
  return withMs ? `${text}.${String(at.getMilliseconds()).padStart(3, "0")}` : text;
}

/** A time in full, in local time: `2026-11-22 14:03:27.120`. */
export function moment(ms: number): string {
  return `${day(ms)} ${clock(ms, true)}`;
}

/** The local date of a time: `2026-11-22`. */
export function day(ms: number): string {
  const at = new Date(ms);
  return `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`;
}

/** How long ago: `now`, `40 s ago`, `5 m ago`, `3 h ago`, then the date. */
export function ago(ms: number, nowMs: number): string {
  const seconds = Math.round((nowMs - ms) / 1000);
  if (seconds < 5) return "now";
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ago`;
  if (seconds < 24 * 3600) return `${Math.floor(seconds / 3600)} h ago`;
  if (seconds < 7 * 24 * 3600) return `${Math.floor(seconds / 86_400)} d ago`;
  return day(ms);
}

function pad(value: number): string {
  return String(value).padStart(2, "0");
}

/** Says what a sum of costs leaves out: model calls that answered or used tokens, and have no known price. */
export function withoutPrice(calls: number): string {
  return `without ${plural(calls, "unpriced call")}`;
}
