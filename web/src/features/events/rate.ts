/** Counts events, and computes their recent rate. */
export class Rate {
  private readonly windowMs: number;
  private readonly counted: { atMs: number; count: number }[] = [];

  /** @param windowMs How far back the rate looks. */
  constructor(windowMs = 5000) {
    this.windowMs = windowMs;
  }

  add(count: number, nowMs: number): void {
    if (count > 0) this.counted.push({ atMs: nowMs, count });
    this.forget(nowMs);
  }

  /** The rate per second over the window, or since its first event, but over at least a second. */
  perSecond(nowMs: number): number {
    this.forget(nowMs);
    const first = this.counted[0];
    if (!first) return 0;
    const sum = this.counted.reduce((total, { count }) => total + count, 0);
    return (sum * 1000) / Math.min(this.windowMs, Math.max(1000, nowMs - first.atMs));
  }

  private forget(nowMs: number): void {
    const kept = this.counted.findIndex(({ atMs }) => atMs > nowMs - this.windowMs);
    this.counted.splice(0, kept < 0 ? this.counted.length : kept);
  }
}
