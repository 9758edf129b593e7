import { ListFilter, Search, X } from "lucide-react";
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from "react";
import {
  type Condition,
  changed,
  conditionsOf,
  FILTER_FIELDS,
  type FilterField,
  fieldLabel,
  type SuggestedField,
} from "@/lib/conditions";
import { type Filter, isNarrow, PAIR_FIELDS } from "@/lib/filter";
import { visibleLine } from "@/lib/visible";
import css from "./filter-bar.module.css";
import { FilterEditor } from "./filter-editor";
import { FilterTime } from "./filter-time";
import { moveInMenu } from "./menu-keys";
import { Popover } from "./popover";
import { useKeys } from "./use-keys";

export interface FilterBarProps {
  filter: Filter;
  /** `typing` is set for each change of the searched text: such a step replaces the previous one. */
  onChange: (next: Filter, typing: boolean) => void;
  /** The fields that can be added, by default all; conditions of other fields are still shown, and can be removed. */
  fields?: readonly FilterField[];
  /** Suggests values of a field, the most frequent first. */
  suggest?: (field: SuggestedField) => Promise<string[]>;
  placeholder?: string;
  /** Whether the list can be searched. */
  search?: boolean;
  /** The part of the searched text that was not understood. */
  notice?: string | undefined;
  /** The name of the run or trace in the filter, if known. */
  runName?: string | undefined;
  /** Content at the end of the line. */
  children?: ReactNode;
}

/** The filter of a list on one line: search, time, a chip for each condition, and a menu to add more. */
export function FilterBar(props: FilterBarProps) {
  const { filter, onChange, fields = FILTER_FIELDS, suggest, search = true, notice, runName, children } = props;
  // Changes when the filter is cleared, to drop letters that were typed but not sent yet.
  const [cleared, setCleared] = useState(0);
  const step = (next: Filter) => onChange(next, false);
  function clear() {
    setCleared(cleared + 1);
    step({});
  }
  return (
    <search className={css.bar} aria-label="Filter">
      {search && (
        <SearchBox
          key={cleared}
          text={filter.q ?? ""}
          placeholder={props.placeholder ?? "Search prompts, answers, arguments, results"}
          onChange={(q) => onChange(changed(filter, { q }), true)}
        />
      )}
      <FilterTime since={filter.since} until={filter.until} onChange={(range) => step(changed(filter, range))} />
      {conditionsOf(filter).map((condition) => (
        <Chip
          key={condition.id}
          condition={condition}
          name={/^(run|trace)_id$/.test(condition.id) ? runName : undefined}
          filter={filter}
          onChange={step}
          suggest={suggest}
        />
      ))}
      {fields.length > 0 && <AddFilter filter={filter} onChange={step} fields={fields} suggest={suggest} />}
      {isNarrow(filter) && (
        <button type="button" className={css.clear} onClick={clear}>
          Clear all
        </button>
      )}
      {children && <div className={css.end}>{children}</div>}
      {notice && (
        <p className={css.notice} role="note">
          {visibleLine(notice)}
        </p>
      )}
    </search>
  );
}

interface Editing {
  filter: Filter;
  onChange: (next: Filter) => void;
  suggest: FilterBarProps["suggest"];
}

function Chip({
  condition,
  name,
  filter,
  onChange,
  suggest,
}: Editing & { condition: Condition; name: string | undefined }) {
  const { field, label, rest } = condition;
  const value = name ?? condition.value;
  const words = `${label}: ${visibleLine(value)}`;
  const text = (
    <>
      <span className={css.label}>{label}:</span>{" "}
      <bdi className={css.value} title={words}>
        {visibleLine(value)}
      </bdi>
    </>
  );
  return (
    <span className={css.chip}>
      {field === null ? (
        <span className={css.fixed}>{text}</span>
      ) : (
        <Popover
          label={`Change ${words}`}
          className={css.edit}
          panel={(close) => (
            <FilterEditor
              field={field}
              filter={filter}
              replaced={field === "label" || PAIR_FIELDS.some((each) => each === field) ? condition.value : null}
              suggest={suggest}
              onChange={onChange}
              onDone={close}
            />
          )}
        >
          {text}
        </Popover>
      )}
      <button type="button" className={css.remove} aria-label={`Remove ${words}`} onClick={() => onChange(rest)}>
        <X size={12} aria-hidden />
      </button>
    </span>
  );
}

function AddFilter({ filter, onChange, fields, suggest }: Editing & { fields: readonly FilterField[] }) {
  const [field, setField] = useState<FilterField | null>(null);
  return (
    <Popover
      label="Add a filter"
      className={css.add}
      onClose={() => setField(null)}
      panel={(close) =>
        field === null ? (
          <ul className={css.menu} onKeyDown={moveInMenu}>
            {fields.map((each) => (
              <li key={each}>
                <button type="button" className={css.item} onClick={() => setField(each)}>
                  {fieldLabel(each)}
                </button>
              </li>
            ))}
          </ul>
        ) : (
          <FilterEditor
            field={field}
            filter={filter}
            replaced={null}
            suggest={suggest}
            onChange={onChange}
            onDone={close}
          />
        )
      }
    >
      <ListFilter size={14} aria-hidden />
      Filter
    </Popover>
  );
}

const PAUSE_MS = 250;
/** Keys that leave the search box: into the list, or just out of it. */
const LEAVING = new Set(["Enter", "ArrowDown", "Escape"]);
const DOWN = { key: "ArrowDown", bubbles: true, cancelable: true };

function SearchBox({
  text,
  placeholder,
  onChange,
}: {
  text: string;
  placeholder: string;
  onChange: (text: string) => void;
}) {
  const [typed, setTyped] = useState(text);
  const [known, setKnown] = useState(text);
  const [sent, setSent] = useState(text);
  const input = useRef<HTMLInputElement>(null);
  // A late update from the address must not undo letters typed since; any other change of the address is shown at once.
  if (text !== known) {
    setKnown(text);
    if (text !== sent) setTyped(text);
    setSent(text);
  }

  function send(next: string) {
    if (next.trim() === sent) return;
    setSent(next.trim());
    onChange(next.trim());
  }
  const pause = useEffectEvent(() => send(typed));
  // biome-ignore lint/correctness/useExhaustiveDependencies: each letter restarts the pause
  useEffect(() => {
    const timer = window.setTimeout(pause, PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [typed]);

  function focus() {
    input.current?.focus();
    input.current?.select();
  }
  useKeys({ search: focus });

  return (
    <div className={css.search}>
      <Search size={14} aria-hidden />
      <input
        ref={input}
        type="search"
        value={typed}
        placeholder={placeholder}
        aria-label={placeholder}
        aria-keyshortcuts="/"
        maxLength={500}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (!LEAVING.has(event.key)) return;
          // Otherwise the browser would empty the box first.
          event.preventDefault();
          if (event.key !== "Escape") send(typed);
          input.current?.blur();
          // From here on the list's own keys work.
          if (event.key !== "Escape") document.body.dispatchEvent(new KeyboardEvent("keydown", DOWN));
        }}
      />
      <kbd className={css.key} aria-hidden>
        /
      </kbd>
    </div>
  );
}
