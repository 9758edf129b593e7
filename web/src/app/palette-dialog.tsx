import clsx from "clsx";
import { Search } from "lucide-react";
import { type KeyboardEvent, useDeferredValue, useEffect, useId, useLayoutEffect, useState } from "react";
import { visibleLine } from "@/lib/visible";
import type { Command } from "@/ui/commands";
import { Dialog } from "@/ui/dialog";
import { takeText } from "./early-text";
import css from "./palette.module.css";
import { grouped, useFound } from "./palette-commands";

interface Props {
  open: boolean;
  onClose: () => void;
}

/** Finds commands, pages, runs and names by typed text. */
export function PaletteDialog({ open, onClose }: Props) {
  return (
    <Dialog open={open} onClose={onClose} title="Find or go to" quiet className={css.dialog}>
      <Finder onClose={onClose} />
    </Dialog>
  );
}

function Finder({ onClose }: { onClose: () => void }) {
  const [typed, setTyped] = useState("");
  const { commands, searching } = useFound(useDeferredValue(typed));
  const [at, setAt] = useState(0);
  const listId = useId();
  const current = Math.max(0, Math.min(at, commands.length - 1));
  const optionId = (place: number) => `${listId}-${place}`;

  // At once: a letter that came before it is drawn would take the place of what was typed before that.
  useLayoutEffect(() => {
    const early = takeText();
    setTyped((before) => early + before);
  }, []);

  useEffect(() => {
    document.getElementById(`${listId}-${current}`)?.scrollIntoView({ block: "nearest" });
  }, [listId, current]);

  function run(command: Command | undefined) {
    if (!command) return;
    onClose();
    command.run();
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter") run(commands[current]);
    else if (!moveBy(event)) return;
    event.preventDefault();
  }

  function moveBy(event: KeyboardEvent): boolean {
    const steps = STEPS[event.key] ?? (event.ctrlKey ? STEPS[`Ctrl+${event.key}`] : undefined);
    if (steps === undefined || commands.length === 0) return false;
    setAt((commands.length + current + steps) % commands.length);
    return true;
  }

  return (
    <>
      <div className={css.field}>
        <Search size={16} aria-hidden />
        <input
          // biome-ignore lint/a11y/noAutofocus: the palette is opened to type into it
          autoFocus
          className={css.input}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
          placeholder="A page, a run, an agent, a tool, an id or any words"
          role="combobox"
          aria-label="Find or go to"
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={commands.length ? optionId(current) : undefined}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
        />
      </div>
      <div id={listId} role="listbox" aria-label="Commands" className={css.list}>
        {grouped(commands).map(({ group, members }) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset is not a group of options
          <div key={group} role="group" aria-label={group} className={css.group}>
            <div className={css.heading} aria-hidden>
              {group}
            </div>
            {members.map(({ command, place }) => (
              <Option
                key={command.id}
                id={optionId(place)}
                command={command}
                current={place === current}
                onPoint={() => setAt(place)}
                onRun={() => run(command)}
              />
            ))}
          </div>
        ))}
      </div>
      <p className={css.foot} role="status">
        {commands.length === 0 && !searching ? "No matches." : ""}
        {searching ? "Searching…" : ""}
      </p>
    </>
  );
}

const STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, "Ctrl+n": 1, "Ctrl+p": -1 };

interface OptionProps {
  id: string;
  command: Command;
  current: boolean;
  onPoint: () => void;
  onRun: () => void;
}

function Option({ id, command, current, onPoint, onRun }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field of the combobox has the focus and handles the keys
    // biome-ignore lint/a11y/useFocusableInteractive: an option is marked through aria-activedescendant
    <div
      id={id}
      role="option"
      aria-selected={current}
      className={clsx(css.option, current && css.current)}
      onPointerMove={current ? undefined : onPoint}
      onClick={onRun}
    >
      <bdi className={css.title}>{visibleLine(command.title)}</bdi>
      {command.note && <bdi className={css.note}>{visibleLine(command.note)}</bdi>}
      {command.keys && (
        <span className={css.keys} aria-hidden>
          {command.keys.split(" ").map((key) => (
            <kbd key={key} className={css.key}>
              {key}
            </kbd>
          ))}
        </span>
      )}
    </div>
  );
}
