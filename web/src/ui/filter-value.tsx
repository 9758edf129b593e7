import clsx from "clsx";
import { type KeyboardEvent, useEffect, useEffectEvent, useId, useState } from "react";
import { visibleLine } from "@/lib/visible";
import css from "./filter-bar.module.css";

interface Props {
  label: string;
  value: string;
  suggest: (() => Promise<string[]>) | undefined;
  onDone: (value: string) => void;
}

const MOST_SHOWN = 50;

/** A text to filter by, typed or chosen from suggestions. */
export function FilterValue({ label, value, suggest, onDone }: Props) {
  const id = useId();
  const [text, setText] = useState(value);
  const [at, setAt] = useState(-1);
  const values = useSuggestions(suggest);
  // The initial value does not narrow the suggestions until something is typed.
  const sought = text === value ? "" : text.toLowerCase();
  const shown = values?.filter((each) => each.toLowerCase().includes(sought)).slice(0, MOST_SHOWN) ?? [];

  // A typed text selects the only suggestion that contains it: by itself it would match nothing.
  const active = at < 0 && sought !== "" && shown.length === 1 ? 0 : at;

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Enter") {
      event.preventDefault();
      const chosen = shown[active] ?? text;
      if (chosen !== "") onDone(chosen);
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      setAt((before) => Math.max(-1, Math.min(shown.length - 1, before + (event.key === "ArrowDown" ? 1 : -1))));
    }
  }

  return (
    <div className={css.form}>
      <label className={css.heading} htmlFor={`${id}-input`}>
        {label}
      </label>
      <input
        id={`${id}-input`}
        role="combobox"
        aria-expanded={shown.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={active >= 0 && active < shown.length ? `${id}-${active}` : undefined}
        aria-autocomplete="list"
        autoComplete="off"
        spellCheck={false}
        maxLength={500}
        value={text}
        placeholder={suggest ? "Type or choose" : "The whole text, then Enter"}
        onChange={(event) => {
          setText(event.target.value);
          setAt(-1);
        }}
        onKeyDown={onKeyDown}
      />
      <div
        id={`${id}-list`}
        role="listbox"
        aria-label={label}
        className={clsx(css.options, shown.length === 0 && css.none)}
      >
        {shown.map((each, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox above has the keys
          // biome-ignore lint/a11y/useFocusableInteractive: aria-activedescendant points here while the input has the focus
          <div
            key={each}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active}
            className={css.option}
            title={visibleLine(each)}
            onPointerEnter={() => setAt(index)}
            onClick={() => onDone(each)}
          >
            <bdi>{visibleLine(each)}</bdi>
          </div>
        ))}
      </div>
      {suggest && values === null && <p className={css.hint}>Looking for values</p>}
      {values?.length === 0 && <p className={css.hint}>No values yet. Type one and press Enter.</p>}
    </div>
  );
}

/** The suggestions; null while loading. If that fails, there are none. */
function useSuggestions(suggest: Props["suggest"]): string[] | null {
  const [values, setValues] = useState<string[] | null>(suggest ? null : []);
  const ask = useEffectEvent(() => suggest?.() ?? Promise.resolve([]));
  useEffect(() => {
    let here = true;
    ask()
      .catch(() => [])
      .then((found) => here && setValues(found));
    return () => {
      here = false;
    };
  }, []);
  return values;
}
