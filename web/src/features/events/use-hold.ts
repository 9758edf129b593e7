import { useCallback, useEffect, useRef, useState } from "react";
import { useKeys } from "@/ui/use-keys";
import { AIMING_MS } from "@/ui/use-steady-rows";

/** Whether new events are shown at once or wait. */
export interface Hold {
  /** The user paused the list. */
  paused: boolean;
  /** The list is scrolled down. */
  scrolled: boolean;
  held: boolean;
  pause: () => void;
  toggle: () => void;
  setScrolled: (scrolled: boolean) => void;
  /** To be called when the pointer moves over the rows, and when it is pressed or released. */
  touch: (pressed: boolean) => void;
}

/** Holds the list while it is paused, scrolled down or pointed at; Space pauses and resumes. */
export function useHold(): Hold {
  const [paused, setPaused] = useState(false);
  const [scrolled, setScrolled] = useState(false);
  const [touched, setTouched] = useState(false);
  const timer = useRef(0);
  const toggle = useCallback(() => setPaused((before) => !before), []);
  const pause = useCallback(() => setPaused(true), []);
  const touch = useCallback((pressed: boolean) => {
    window.clearTimeout(timer.current);
    if (!pressed) timer.current = window.setTimeout(() => setTouched(false), AIMING_MS);
    setTouched(true);
  }, []);
  useEffect(() => () => window.clearTimeout(timer.current), []);

  useKeys({ pause: toggle });

  return { paused, scrolled, held: paused || scrolled || touched, pause, toggle, setScrolled, touch };
}
