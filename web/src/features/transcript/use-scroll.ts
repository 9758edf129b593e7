import { type RefObject, useEffect, useEffectEvent, useRef } from "react";

type Frame = RefObject<HTMLElement | null>;

/** Events by which the user scrolls the list. */
const MOVES = ["wheel", "pointerdown", "keydown", "touchstart"] as const;

/** Call `hold` whenever the size of the list changes while it loads, until the user scrolls; whether it still does. */
export function useHeld(frame: Frame, size: number, hold: () => void): RefObject<boolean> {
  const isHeld = useRef(true);
  const onSize = useEffectEvent(hold);
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const release = () => {
      isHeld.current = false;
    };
    for (const move of MOVES) element.addEventListener(move, release, { passive: true });
    return () => {
      for (const move of MOVES) element.removeEventListener(move, release);
    };
  }, [frame]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what grew is not needed, only that it grew
  useEffect(() => {
    if (isHeld.current) onSize();
  }, [size]);
  return isHeld;
}

/** The list follows a growing run if it is at most this far from its end, in pixels. */
const NEAR = 48;

/** While the end of the list is in view, keep it in view; not while the list is held elsewhere. */
export function useFollowing(frame: Frame, size: number, isHeld: RefObject<boolean>): void {
  const isAtEnd = useRef(false);
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const look = () => {
      isAtEnd.current = element.scrollTop > 0 && element.scrollHeight - element.clientHeight - element.scrollTop < NEAR;
    };
    element.addEventListener("scroll", look, { passive: true });
    return () => element.removeEventListener("scroll", look);
  }, [frame]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what grew is not needed, only that it grew
  useEffect(() => {
    if (isAtEnd.current && !isHeld.current && frame.current) frame.current.scrollTop = frame.current.scrollHeight;
  }, [size, frame, isHeld]);
}
