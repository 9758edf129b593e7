/** Counts what happens, and tells how often it did lately. */
export class Rate {
  private readonly windowMs: number;
  private readonly counted: { atMs: number; count: number }[] = [];

  /** @param windowMs What counts as lately. */
  constructor(windowMs = 5000) {
    this.windowMs = windowMs;
  }

  add(count: number, nowMs: number): void {
    if (count > 0) this.counted.push({ atMs: nowMs, count });
    this.forget(nowMs);
  }

  /** How many a second, over the whole window or since the first one in it, a second at least. */
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
