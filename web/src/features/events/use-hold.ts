import { useCallback, useEffect, useEffectEvent, useRef, useState } from "react";
import { isTyping } from "@/lib/shortcuts";

/** How long rows stand still after the pointer moved over them, so that what is clicked is what was seen. */
const STILL_MS = 1200;

/** Whether new events are shown or wait. */
export interface Hold {
  /** Somebody said so. */
  paused: boolean;
  /** The list is read further down. */
  scrolled: boolean;
  held: boolean;
  pause: () => void;
  toggle: () => void;
  setScrolled: (scrolled: boolean) => void;
  /** The pointer moves over the rows. */
  touch: () => void;
}

/** Holds the list while it is paused, read further down, or pointed at; Space pauses and resumes. */
export function useHold(): Hold {
  const [paused, setPaused] = useState(false);
  const [scrolled, setScrolled] = useState(false);
  const [touched, setTouched] = useState(false);
  const timer = useRef(0);
  const toggle = useCallback(() => setPaused((before) => !before), []);
  const pause = useCallback(() => setPaused(true), []);
  const touch = useCallback(() => {
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setTouched(false), STILL_MS);
    setTouched(true);
  }, []);
  useEffect(() => () => window.clearTimeout(timer.current), []);

  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== " " || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTyping(event.target) || pressesSomething(event.target) || document.querySelector("dialog[open]:modal"))
      return;
    event.preventDefault();
    toggle();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKey(event);
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, []);

  return { paused, scrolled, held: paused || scrolled || touched, pause, toggle, setScrolled, touch };
}

function pressesSomething(target: EventTarget | null): boolean {
  return (
    target instanceof Element && target.closest("button, summary, [role=button], [role=tab], [role=menuitem]") !== null
  );
}
