import { Maximize, ZoomIn, ZoomOut } from "lucide-react";
import { type ReactNode, useCallback, useEffectEvent, useLayoutEffect, useState } from "react";
import { percent } from "@/lib/format";
import { Button } from "@/ui/button";

/** The scale of the drawing, and the buttons that change it. */
export interface Zoom {
  scale: number;
  /** Whether the size of the frame, and so the scale, is known. */
  ready: boolean;
  /** The ref of the scrolling frame around the drawing. */
  frame: (element: HTMLElement | null) => void;
  by: (factor: number) => void;
  fit: () => void;
  controls: ReactNode;
}

interface Size {
  width: number;
  height: number;
}

const STEP = 1.25;
const LEAST = 0.25;
const MOST = 2;
/** The drawing is not made smaller than this by default, but scrolled, so that text stays readable. */
const LEAST_READABLE = 0.75;
const MARGIN = 64;

/**
 * Zoom by buttons, keys and the wheel with Control.
 *
 * By default, the drawing fits the frame as long as its text is readable. If the user asks to fit, it does at any size.
 */
export function useZoom(size: Size): Zoom {
  const [frame, setFrame] = useState<HTMLElement | null>(null);
  const [room, setRoom] = useState<Size>({ width: 0, height: 0 });
  const [chosen, setChosen] = useState<number | "whole" | null>(null);
  const scale = typeof chosen === "number" ? chosen : fitting(size, room, chosen ? LEAST : LEAST_READABLE);
  const by = (factor: number) => setChosen(Math.min(MOST, Math.max(LEAST, scale * factor)));
  const fit = useCallback(() => setChosen("whole"), []);

  const turn = useEffectEvent((event: WheelEvent) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    by(Math.exp(-event.deltaY / 300));
  });

  useLayoutEffect(() => {
    if (!frame) return;
    const measure = () => setRoom({ width: frame.clientWidth, height: frame.clientHeight });
    // Before anything is drawn: an observer calls only after the first picture.
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(frame);
    // React's wheel listeners are passive, so they cannot prevent the browser from zooming the page.
    const listener = (event: WheelEvent) => turn(event);
    frame.addEventListener("wheel", listener, { passive: false });
    return () => {
      observer.disconnect();
      frame.removeEventListener("wheel", listener);
    };
  }, [frame]);

  const controls = (
    <>
      <Button look="plain" onClick={() => by(1 / STEP)} aria-label="Smaller" title="Smaller (−)">
        <ZoomOut size={15} aria-hidden />
      </Button>
      <Button look="plain" onClick={() => by(STEP)} aria-label="Larger" title="Larger (+)">
        <ZoomIn size={15} aria-hidden />
      </Button>
      <Button look="plain" onClick={fit} title="Fit into the window (0)">
        <Maximize size={14} aria-hidden />
        <span className="visually-hidden">Fit into the window, now at </span>
        {percent(scale)}
      </Button>
    </>
  );
  return { scale, ready: room.width > 0, frame: setFrame, by, fit, controls };
}

function fitting(size: Size, room: Size, least: number): number {
  if (!room.width || !size.width) return 1;
  const share = Math.min((room.width - MARGIN) / size.width, (room.height - MARGIN) / size.height);
  return Math.min(1, Math.max(least, share));
}
