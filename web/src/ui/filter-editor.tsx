import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react";
import {
  amountOf,
  CHOICES,
  changed,
  durationOf,
  type FilterField,
  fieldLabel,
  SUGGESTED_FIELDS,
  type SuggestedField,
} from "@/lib/conditions";
import { ASKED_LABEL, type Filter, type Kind, type PairField } from "@/lib/filter";
import { Button } from "./button";
import css from "./filter-bar.module.css";
import { FilterValue } from "./filter-value";
import { kindLabel } from "./kind";

interface Props {
  field: FilterField;
  filter: Filter;
  /** The pair of a key or path and a value that is being edited; null adds one. */
  replaced: string | null;
  suggest: ((field: SuggestedField) => Promise<string[]>) | undefined;
  onChange: (next: Filter) => void;
  onDone: () => void;
}

/** A form for the value of one field of a filter. */
export function FilterEditor(props: Props) {
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => root.current?.querySelector("input")?.focus(), []);
  return (
    <div ref={root}>
      <Editor {...props} />
    </div>
  );
}

function Editor({ field, filter, replaced, suggest, onChange, onDone }: Props) {
  function done(next: Filter) {
    onChange(next);
    onDone();
  }
  switch (field) {
    case "status":
    case "kind":
      return <Choices field={field} filter={filter} onChange={onChange} />;
    case "duration":
      return (
        <Span
          label="Duration"
          hint="such as 250 ms, 1.5 s, 2 m"
          read={durationOf}
          from={filter.min_duration_ms}
          to={filter.max_duration_ms}
          unit=" ms"
          onDone={(from, to) => done(changed(filter, { min_duration_ms: from, max_duration_ms: to }))}
        />
      );
    case "cost":
      return (
        <Span
          label="Cost in dollars"
          hint="such as 0.05"
          read={amountOf}
          from={filter.min_cost_usd}
          to={filter.max_cost_usd}
          unit=""
          onDone={(from, to) => done(changed(filter, { min_cost_usd: from, max_cost_usd: to }))}
        />
      );
    case "attr":
    case "args":
    case "result":
      return (
        <Pair
          field={field}
          pair={replaced}
          onDone={(pair) =>
            done(changed(filter, { [field]: [...(filter[field] ?? []).filter((each) => each !== replaced), pair] }))
          }
        />
      );
    case "label":
      return (
        <FilterValue
          label="Label: good, quality>0.8, relevance=fair"
          value={replaced ?? ""}
          suggest={suggest ? () => suggest(field) : undefined}
          onDone={(value) => {
            if (!ASKED_LABEL.test(value)) return;
            done(changed(filter, { label: [...(filter.label ?? []).filter((each) => each !== replaced), value] }));
          }}
        />
      );
    default: {
      const suggested = SUGGESTED_FIELDS.find((each) => each === field);
      return (
        <FilterValue
          label={fieldLabel(field)}
          value={filter[field] ?? ""}
          suggest={suggested && suggest ? () => suggest(suggested) : undefined}
          onDone={(value) => done(changed(filter, { [field]: value }))}
        />
      );
    }
  }
}

function Choices({ field, filter, onChange }: Pick<Props, "filter" | "onChange"> & { field: "status" | "kind" }) {
  const chosen: readonly string[] = filter[field] ?? [];
  function toggle(value: string) {
    const next = CHOICES[field].filter((each) => chosen.includes(each) !== (each === value));
    onChange(changed(filter, { [field]: next }));
  }
  return (
    <fieldset className={css.choices}>
      <legend className={css.heading}>{fieldLabel(field)}</legend>
      {CHOICES[field].map((value) => (
        <label key={value} className={css.choice}>
          <input type="checkbox" checked={chosen.includes(value)} onChange={() => toggle(value)} />
          {field === "kind" ? kindLabel(value as Kind) : value}
        </label>
      ))}
    </fieldset>
  );
}

function Form({ heading, children, onSubmit }: { heading: string; children: ReactNode; onSubmit: () => void }) {
  function submit(event: FormEvent) {
    event.preventDefault();
    onSubmit();
  }
  return (
    <form className={css.form} onSubmit={submit}>
      <p className={css.heading}>{heading}</p>
      {children}
      <Button type="submit" look="accent">
        Apply
      </Button>
    </form>
  );
}

interface SpanProps {
  label: string;
  hint: string;
  unit: string;
  read: (text: string) => number | null;
  from: number | undefined;
  to: number | undefined;
  onDone: (from: number | undefined, to: number | undefined) => void;
}

function Span({ label, hint, unit, read, from, to, onDone }: SpanProps) {
  const [least, setLeast] = useState(from === undefined ? "" : `${from}${unit}`);
  const [most, setMost] = useState(to === undefined ? "" : `${to}${unit}`);
  const [wrong, setWrong] = useState(false);
  function submit() {
    const values = [least, most].map((text) => (text.trim() === "" ? undefined : read(text)));
    if (values.includes(null)) setWrong(true);
    else onDone(values[0] ?? undefined, values[1] ?? undefined);
  }
  return (
    <Form heading={label} onSubmit={submit}>
      <label className={css.row}>
        at least
        <input value={least} onChange={(event) => setLeast(event.target.value)} />
      </label>
      <label className={css.row}>
        at most
        <input value={most} onChange={(event) => setMost(event.target.value)} />
      </label>
      <p className={css.hint} role={wrong ? "alert" : undefined}>
        {wrong ? `Use a value ${hint}.` : hint}
      </p>
    </Form>
  );
}

const PAIRS = {
  attr: { heading: "Attribute", key: "key", hint: "such as gen_ai.provider.name and openai" },
  args: { heading: "Argument", key: "path", hint: "such as invoice and INV-7, or rows[0].id and 7" },
  result: { heading: "Result", key: "path", hint: "such as status and refused, or rows[0].id and 7" },
};

interface PairProps {
  field: PairField;
  pair: string | null;
  onDone: (pair: string) => void;
}

function Pair({ field, pair, onDone }: PairProps) {
  const words = PAIRS[field];
  const at = pair?.indexOf("=") ?? -1;
  const [key, setKey] = useState(pair?.slice(0, at) ?? "");
  const [value, setValue] = useState(pair?.slice(at + 1) ?? "");
  const [wrong, setWrong] = useState(false);
  function submit() {
    // A whole pair, as in the CLI and the address.
    if (value === "" && key.trim().indexOf("=") > 0) onDone(key.trim());
    else if (key.trim() === "" || key.includes("=")) setWrong(true);
    else onDone(`${key.trim()}=${value}`);
  }
  return (
    <Form heading={words.heading} onSubmit={submit}>
      <label className={css.row}>
        {words.key}
        <input value={key} spellCheck={false} onChange={(event) => setKey(event.target.value)} />
      </label>
      <label className={css.row}>
        value
        <input value={value} spellCheck={false} onChange={(event) => setValue(event.target.value)} />
      </label>
      <p className={css.hint} role={wrong ? "alert" : undefined}>
        {wrong ? `The ${words.key} must not contain an equals sign.` : words.hint}
      </p>
    </Form>
  );
}
