import { Search } from "lucide-react";
import { type KeyboardEvent, useEffect, useEffectEvent, useState } from "react";
import { count } from "@/lib/format";
import { StepButtons } from "@/ui/step-buttons";
import css from "./find-box.module.css";
import type { Find } from "./use-find";

const REST_MS = 150;
/** The field that `f` and `/` go to. */
export const FIND_ID = "find-in-trace";

interface Props {
  text: string;
  onText: (text: string) => void;
  find: Find;
  onLeave: () => void;
}

/** Searches the spans; Enter goes to the next hit, Escape clears the search and leaves. */
export function FindBox({ text, onText, find, onLeave }: Props) {
  const { found } = find;
  const [typed, setTyped] = useState(text);
  const [known, setKnown] = useState(text);
  if (text !== known) {
    setKnown(text);
    setTyped(text);
  }
  // A step requested before the hits were loaded.
  const [due, setDue] = useState<1 | -1 | null>(null);
  const send = useEffectEvent(onText);
  useEffect(() => {
    if (typed === text) return;
    const timer = window.setTimeout(() => send(typed), REST_MS);
    return () => window.clearTimeout(timer);
  }, [typed, text]);

  const isHere = typed === text && !found.looking;
  const step = useEffectEvent(find.step);
  useEffect(() => {
    if (due === null || !isHere) return;
    setDue(null);
    step(due);
  }, [due, isHere]);

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Enter") {
      event.preventDefault();
      if (typed !== text) onText(typed);
      setDue(event.shiftKey ? -1 : 1);
    } else if (event.key === "Escape") {
      event.preventDefault();
      setTyped("");
      setDue(null);
      onLeave();
    }
  }

  return (
    <div className={css.box}>
      <Search size={14} aria-hidden className={css.icon} />
      <input
        id={FIND_ID}
        type="text"
        className={css.input}
        aria-label="Find in this run"
        placeholder="Find in this run"
        spellCheck={false}
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {text && (
        <>
          <span className={css.count} role="status">
            {found.count === 0
              ? found.looking
                ? "…"
                : "none"
              : found.current < 0
                ? count(found.count)
                : `${count(found.current + 1)} of ${count(found.count)}`}
          </span>
          <StepButtons
            noun="match"
            actions={["previousMatch", "nextMatch"]}
            disabled={!found.count}
            onStep={find.step}
          />
        </>
      )}
    </div>
  );
}
