import { useCallback, useSyncExternalStore } from "react";

interface Ticker {
  now: number;
  listeners: Set<() => void>;
  timer: number;
}

/** One clock for all components with the same period, so that a list renders once per tick. */
const tickers = new Map<number, Ticker>();

/** The time of day in milliseconds, updated at a period; with null it does not tick by itself. */
export function useNow(everyMs: number | null): number {
  const period = everyMs ?? 0;
  const subscribe = useCallback(
    (listener: () => void) => {
      if (period === 0) return () => {};
      const ticker = tickerOf(period);
      ticker.listeners.add(listener);
      if (ticker.listeners.size === 1) {
        ticker.now = Date.now();
        ticker.timer = window.setInterval(() => tick(ticker), period);
      }
      return () => {
        ticker.listeners.delete(listener);
        if (ticker.listeners.size === 0) window.clearInterval(ticker.timer);
      };
    },
    [period],
  );
  return useSyncExternalStore(subscribe, () => tickerOf(period).now);
}

function tickerOf(period: number): Ticker {
  let ticker = tickers.get(period);
  if (!ticker) {
    ticker = { now: Date.now(), listeners: new Set(), timer: 0 };
    tickers.set(period, ticker);
  }
  return ticker;
}

function tick(ticker: Ticker) {
  ticker.now = Date.now();
  for (const listener of ticker.listeners) listener();
}
