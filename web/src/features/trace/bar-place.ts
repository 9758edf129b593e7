import { endMs, type SpanRow } from "@/lib/spans";
import { placeOf, type Range } from "./time-scale";

/** The position of a bar and its label; `earlier` and `later` are out of view, with only a label. */
export interface BarPlace {
  left: number;
  width: number;
  label: "after" | "before" | "inside" | "earlier" | "later";
}

/** Where a span is drawn in a view. */
export function barPlace(row: SpanRow, view: Range, nowMs: number): BarPlace {
  return stretchPlace(row.startMs, endMs(row, nowMs), view, saysStatus(row));
}

/** Whether the label of a bar names its status; a failed row says so before its name, and why behind it. */
export function saysStatus({ status }: SpanRow): boolean {
  return status !== "ok" && status !== "error";
}

/** Where a stretch of time is drawn in a view; a label with the word of a status needs more room before its bar. */
export function stretchPlace(startMs: number, end: number, view: Range, hasWord: boolean): BarPlace {
  const place = placeOf(startMs, end, view);
  if (!place) return { left: 0, width: 0, label: end < view.from ? "earlier" : "later" };
  const right = place.left + place.width;
  return { ...place, label: right < 60 ? "after" : place.left > (hasWord ? 45 : 24) ? "before" : "inside" };
}

/** The width of a duration with its status mark: no label begins nearer to the end of its track. */
const ROOM = "5.25rem";

/** The offsets of a label, as CSS has them. */
export function labelOffset({ left, width, label }: BarPlace): { left: string; right: string } {
  switch (label) {
    case "after":
      return { left: `min(${left + width}%, 100% - ${ROOM})`, right: "auto" };
    case "before":
      return { left: "auto", right: `min(${100 - left}%, 100% - ${ROOM})` };
    case "inside":
      return { left: "auto", right: `${Math.max(0, 100 - left - width)}%` };
    case "earlier":
      return { left: "0", right: "auto" };
    case "later":
      return { left: "auto", right: "0" };
  }
}
