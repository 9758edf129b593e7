import type { Kind, Status } from "./filter";

/** One event in the timeline of a run, as in the API. */
export interface TimelineBar {
  offset_ms: number;
  duration_ms: number | null;
  kind: Kind;
  status: Status;
}

/** A bar in shares of the whole width. */
export interface PlacedBar {
  left: number;
  width: number;
  kind: Kind;
  status: Status;
  /** Whether it is a call that only contains others: drawn as a thin line behind them. */
  frame: boolean;
}

/**
 * Lay out the bars of a timeline over `totalMs`, in drawing order.
 *
 * Frames come first, then longer bars before shorter ones, so that calls inside a call are drawn on top of it. JSON-RPC
 * that only carries a call shown here is left out: it would hide that call. Running bars end at the right.
 */
export function placed(bars: readonly TimelineBar[], totalMs: number): PlacedBar[] {
  if (!(totalMs > 0)) return [];
  const known = bars.map((bar) => ({ bar, from: bar.offset_ms, to: endOf(bar, totalMs), frame: isFrame(bar.kind) }));
  const calls = known.filter(({ bar, frame }) => !frame && bar.kind !== "rpc");
  const shown = known.filter(
    (each) =>
      each.bar.kind !== "rpc" ||
      !calls.some((call) => call.from <= each.from && each.to <= call.to && call.bar.status === each.bar.status),
  );
  shown.sort((a, b) => Number(b.frame) - Number(a.frame) || b.to - b.from - (a.to - a.from));
  return shown.map(({ bar, from, to, frame }) => {
    const left = share(from, totalMs);
    return { left, width: Math.max(0, share(to, totalMs) - left), kind: bar.kind, status: bar.status, frame };
  });
}

function isFrame(kind: Kind): boolean {
  return kind === "workflow" || kind === "agent";
}

function endOf({ offset_ms, duration_ms, status }: TimelineBar, totalMs: number): number {
  if (duration_ms !== null) return offset_ms + Math.max(0, duration_ms);
  return status === "running" ? Math.max(offset_ms, totalMs) : offset_ms;
}

function share(ms: number, totalMs: number): number {
  return Math.min(1, Math.max(0, ms / totalMs));
}
