import clsx from "clsx";
import { type CSSProperties, type KeyboardEvent, type PointerEvent, useState } from "react";
import css from "./splitter.module.css";

interface Props {
  label: string;
  /** The width in pixels of the panel that it resizes. */
  value: number;
  min: number;
  max: number;
  onChange: (value: number) => void;
  /** Whether that panel is on its right, so that it grows to the left. */
  after?: boolean;
  className?: string | undefined;
  style?: CSSProperties;
}

const STEP = 24;

/** The line between two panels: dragged with the pointer, or moved by the arrow keys, Home and End. */
export function Splitter({ label, value, min, max, onChange, after = false, className, style }: Props) {
  const [grabbed, setGrabbed] = useState<{ x: number; value: number } | null>(null);
  const sign = after ? -1 : 1;
  const set = (next: number) => onChange(Math.round(Math.min(max, Math.max(min, next))));

  function onPointerDown(event: PointerEvent<HTMLElement>) {
    event.currentTarget.setPointerCapture(event.pointerId);
    setGrabbed({ x: event.clientX, value });
  }

  function onPointerMove(event: PointerEvent<HTMLElement>) {
    if (grabbed) set(grabbed.value + sign * (event.clientX - grabbed.x));
  }

  function onKeyDown(event: KeyboardEvent) {
    const to = { ArrowLeft: value - sign * STEP, ArrowRight: value + sign * STEP, Home: min, End: max }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    set(to);
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: an `hr` cannot be moved
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={Math.round(value)}
      aria-valuemin={min}
      aria-valuemax={Math.round(max)}
      tabIndex={0}
      className={clsx(css.splitter, className)}
      style={style}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={() => setGrabbed(null)}
      onLostPointerCapture={() => setGrabbed(null)}
      onKeyDown={onKeyDown}
    />
  );
}
