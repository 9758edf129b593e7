import { endMs, type SpanRow } from "@/lib/spans";

/** A time range of a trace, in milliseconds after its start. */
export interface Range {
  from: number;
  to: number;
}

/** From the first start to the last end; running spans end now. Never empty, so that it can be a divisor. */
export function wholeOf(rows: readonly SpanRow[], nowMs: number): Range {
  let from = 0;
  let to = 0;
  for (const row of rows) {
    if (row.startMs < from) from = row.startMs;
    const end = endMs(row, nowMs);
    if (end > to) to = end;
  }
  return { from, to: to > from ? to : from + 0.001 };
}

/** The shortest visible range: ten nanoseconds, or the precision of a number far from zero. */
function shortest(whole: Range): number {
  return Math.max(1e-5, (Math.abs(whole.from) + Math.abs(whole.to)) * 1e-12);
}

/** A range inside the whole, as long as before if that fits. */
export function within(range: Range, whole: Range): Range {
  const length = Math.min(Math.max(range.to - range.from, shortest(whole)), whole.to - whole.from);
  const from = Math.min(Math.max(range.from, whole.from), whole.to - length);
  return { from, to: from + length };
}

/** A range made `factor` times as long around a moment that keeps its place on the screen. */
export function scaled(range: Range, factor: number, aroundMs: number, whole: Range): Range {
  const share = (aroundMs - range.from) / (range.to - range.from);
  const length = Math.max((range.to - range.from) * factor, shortest(whole));
  const from = aroundMs - share * length;
  return within({ from, to: from + length }, whole);
}

/** A range moved by a part of its own length. */
export function shifted(range: Range, share: number, whole: Range): Range {
  const by = (range.to - range.from) * share;
  return within({ from: range.from + by, to: range.to + by }, whole);
}

/** The range between two moments, in whatever order they were given. */
export function between(a: number, b: number, whole: Range): Range {
  return within({ from: Math.min(a, b), to: Math.max(a, b) }, whole);
}

/** Whether a range shows all there is. */
export function isWhole(range: Range, whole: Range): boolean {
  return range.from <= whole.from && range.to >= whole.to;
}

/** Where a moment is in a range, as a share of it: 0 at its start, 1 at its end. */
export function shareOf(ms: number, range: Range): number {
  return (ms - range.from) / (range.to - range.from);
}

/** The part of a stretch that a range shows, as percentages from its left; null when it shows none. */
export function placeOf(startMs: number, end: number, range: Range): { left: number; width: number } | null {
  const left = shareOf(startMs, range) * 100;
  const right = shareOf(end, range) * 100;
  if (right < 0 || left > 100) return null;
  // Ends that are out of sight stay near: layouts lose precision with millions of percent.
  const from = Math.max(left, -1);
  return { left: from, width: Math.min(right, 101) - from };
}

export interface Tick {
  ms: number;
  label: string;
}

/** Round moments in a range, at most `most`, with their labels. */
export function ticksOf(range: Range, most: number): Tick[] {
  const step = roundStep((range.to - range.from) / Math.max(1, most));
  const ticks: Tick[] = [];
  for (let count = Math.ceil(range.from / step); count * step <= range.to && ticks.length <= most; count++) {
    ticks.push({ ms: count * step, label: tickLabel(count * step, step) });
  }
  return ticks;
}

// Steps of clock times; below a second and beyond a day decimals are round.
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400];

function roundStep(least: number): number {
  if (least > 500) {
    const step = STEPS.find((seconds) => seconds * 1000 >= least);
    if (step !== undefined) return step * 1000;
  }
  const unit = least > 500 ? DAY : 1;
  const power = 10 ** Math.floor(Math.log10(least / unit));
  return ([1, 2, 5].find((digit) => digit * power >= (least / unit) * (1 - 1e-9)) ?? 10) * power * unit;
}

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
const UNITS = [
  { name: "ns", ms: 1e-6 },
  { name: "µs", ms: 1e-3 },
  { name: "ms", ms: 1 },
  { name: "s", ms: 1000 },
] as const;

/** A moment with the precision that its distance to the next one needs: `250 ms`, `1.5 s`, `2:30`, `1:02:00`, `20 d`. */
function tickLabel(ms: number, step: number): string {
  if (ms === 0) return "0";
  if (step >= DAY) return `${signed(String(ms / DAY))} d`;
  if (Math.abs(ms) >= 2 * MINUTE || step >= MINUTE) return clockLabel(ms, step);
  const unit = UNITS.findLast((each) => Math.abs(ms) >= each.ms * 0.999) ?? UNITS[0];
  const digits = Math.max(0, Math.ceil(-Math.log10(step / unit.ms) - 1e-9));
  return `${signed((ms / unit.ms).toFixed(Math.min(digits, 9)))} ${unit.name}`;
}

function clockLabel(ms: number, step: number): string {
  const seconds = Math.abs(ms) / 1000;
  const digits = Math.min(9, Math.max(0, Math.ceil(-Math.log10(step / 1000) - 1e-9)));
  const rest = (seconds % 60).toFixed(digits).padStart(digits ? digits + 3 : 2, "0");
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const head = hours ? `${hours}:${String(minutes % 60).padStart(2, "0")}` : String(minutes);
  return `${ms < 0 ? "−" : ""}${head}:${rest}`;
}

function signed(text: string): string {
  return text.startsWith("-") ? `−${text.slice(1)}` : text;
}

const NUMBER = "-?[0-9]{1,15}(?:\\.[0-9]{1,9})?";
const WRITTEN = new RegExp(`^(${NUMBER})-(${NUMBER})$`);

/** Read a range from an address: `120.5-340`. */
export function readRange(text: string): Range | null {
  const match = WRITTEN.exec(text);
  const range = match && { from: Number(match[1]), to: Number(match[2]) };
  return range && range.to > range.from ? range : null;
}

/** Write a range into an address, to the microsecond where that tells its ends apart. */
export function writeRange(range: Range): string {
  const digits = range.to - range.from > 1 ? 3 : 6;
  const text = (ms: number) => String(Number(ms.toFixed(digits)));
  return `${text(range.from)}-${text(range.to)}`;
}
