import { useEffect, useMemo, useState } from "react";
import { useTraceAddress } from "./address";
import { isWhole, type Range, readRange, scaled, within, writeRange } from "./time-scale";

const REST_MS = 150;

export interface Zoom {
  view: Range;
  whole: Range;
  zoomed: boolean;
  show: (range: Range) => void;
  /** Make the view `factor` times as long, around a moment or its middle. */
  scale: (factor: number, aroundMs?: number) => void;
  reset: () => void;
}

/** The visible time range. The address follows when it stops changing. */
export function useZoom(inAddress: string | undefined, whole: Range): Zoom {
  const { change } = useTraceAddress();
  const [ahead, setAhead] = useState<Range | null>(null);
  const written = ahead && (isWhole(ahead, whole) ? undefined : writeRange(ahead));

  useEffect(() => {
    if (written === null) return;
    const timer = window.setTimeout(() => {
      void change((before) => ({ ...before, zoom: written }), true).then(() =>
        setAhead((latest) => (latest === ahead ? null : latest)),
      );
    }, REST_MS);
    return () => window.clearTimeout(timer);
  }, [ahead, written, change]);

  const view = useMemo(() => {
    const range = ahead ?? (inAddress === undefined ? null : readRange(inAddress));
    return range ? within(range, whole) : whole;
  }, [ahead, inAddress, whole]);

  return {
    view,
    whole,
    zoomed: !isWhole(view, whole),
    show: setAhead,
    scale: (factor, aroundMs = (view.from + view.to) / 2) => setAhead(scaled(view, factor, aroundMs, whole)),
    reset: () => setAhead(whole),
  };
}
