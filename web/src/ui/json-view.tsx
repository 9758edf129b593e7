import { Braces } from "lucide-react";
import { type KeyboardEvent, type MouseEvent, useId, useMemo, useRef, useState } from "react";
import { isContainer, jsonText, plainText, readValue, sizeOf } from "@/lib/json";
import { jsonPath } from "@/lib/json-path";
import { firstOpen, type JsonRow, NEXT_CHUNK, rowsOfJson, stepsTo } from "@/lib/json-rows";
import { type Side, spansWith } from "@/lib/same-value";
import { type ActionOn, actionOn } from "@/lib/shortcuts";
import { Button, CopyButton } from "./button";
import { CodeBlock } from "./code-block";
import { copyByKey } from "./copy-note";
import { JsonLine, Scalar } from "./json-line";
import css from "./json-view.module.css";
import { LongText } from "./message-text";

interface Props {
  /** A value from `parseJson`, or any plain value. A string with JSON is parsed; other strings are shown as text. */
  value: unknown;
  /** A name for the value, for screen readers and the copy button. */
  label: string;
  /** How many lines are open at first. */
  lines?: number;
  /** The side of the call that it belongs to, for links to spans with the same value. */
  side?: Side | undefined;
}

/** Recorded JSON as a foldable tree or as plain text; the path and the value of each line can be copied. */
export function JsonView({ value, label, lines = 60, side }: Props) {
  const [asText, setAsText] = useState(false);
  const read = useMemo(() => readValue(value), [value]);
  if (typeof read === "string") {
    return (
      <>
        {looksBroken(read) && <p className={css.note}>This is not valid JSON; it is shown as it was recorded.</p>}
        <CodeBlock text={read} label={label} />
      </>
    );
  }
  if (!isContainer(read) || sizeOf(read) === 0) {
    return (
      <div className={css.alone}>
        <Scalar value={read} />
      </div>
    );
  }
  return (
    <div className={css.view}>
      <div className={css.tools}>
        <Button
          look="plain"
          pressed={asText}
          title={asText ? "Show as a tree" : "Show as text"}
          aria-label={`${label} as text`}
          onClick={() => setAsText(!asText)}
        >
          <Braces size={14} aria-hidden />
        </Button>
        <CopyButton text={() => jsonText(read)} label={`Copy ${label}`} />
      </div>
      {asText ? <PlainJson value={read} /> : <Tree value={read} label={label} lines={lines} side={side} />}
    </div>
  );
}

function PlainJson({ value }: { value: unknown }) {
  const text = useMemo(() => jsonText(value), [value]);
  return (
    <div className={css.plain}>
      <LongText text={text} lines={400} mono />
    </div>
  );
}

function looksBroken(text: string): boolean {
  return text.length < 2_000_000 && /^\s*(\{\s*["}]|\[\s*[[{"\]0-9])/.test(text);
}

interface TreeProps {
  value: object;
  label: string;
  lines: number;
  side: Side | undefined;
}

function Tree({ value, label, lines, side }: TreeProps) {
  const base = useId();
  const tree = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState<ReadonlySet<string>>(() => firstOpen(value, lines));
  const [shown, setShown] = useState<ReadonlyMap<string, number>>(new Map());
  const [active, setActive] = useState<string | null>(null);
  const [hot, setHot] = useState<string | null>(null);
  const rows = useMemo(() => rowsOfJson(value, { open, shown }), [value, open, shown]);
  const at = rows.findIndex((row) => row.id === active);

  function toggle(row: JsonRow) {
    if (row.shape === "more") {
      const parent = row.parent?.id ?? "";
      setShown(new Map(shown).set(parent, (shown.get(parent) ?? 0) + NEXT_CHUNK));
    } else if (row.shape !== "scalar") {
      const next = new Set(open);
      if (!next.delete(row.id)) next.add(row.id);
      setOpen(next);
    }
  }

  function go(to: number) {
    const row = rows[Math.max(0, Math.min(rows.length - 1, to))];
    if (!row) return;
    setActive(row.id);
    tree.current?.querySelectorAll('[role="treeitem"]')[rows.indexOf(row)]?.scrollIntoView({ block: "nearest" });
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.target !== event.currentTarget || !act(event)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Returns whether the key was handled. */
  function act(event: KeyboardEvent): boolean {
    const move = actionOn("Lists", event);
    if (move === "nextRow") go(at + 1);
    else if (move === "previousRow") go(at - 1);
    else if (move === "firstRow") go(0);
    else if (move === "lastRow") go(rows.length - 1);
    else return actOn(rows[at], actionOn("JSON", event));
    return true;
  }

  function actOn(row: JsonRow | undefined, action: ActionOn<"JSON"> | null): boolean {
    if (!row || action === null) return false;
    if (action === "copyValue") void copyByKey(plainText(row.value), "the value");
    else if (action === "copyPath") void copyByKey(jsonPath(stepsTo(row)), "the path");
    else if (action === "sameValue") follow(row);
    else if (action === "closeValue" && row.shape !== "open") go(row.parent ? rows.indexOf(row.parent) : 0);
    else if (action === "openValue" && row.shape === "open") go(at + 1);
    else toggle(row);
    return true;
  }

  function follow(row: JsonRow) {
    const address = side && spansWith(side, stepsTo(row), row.value);
    if (address) window.location.hash = address.slice(1);
  }

  function onClick(event: MouseEvent) {
    const place = rowPlace(event.target);
    const row = place === null ? undefined : rows[place];
    if (!row) return;
    setActive(row.id);
    // A selection with the mouse is meant for copying, not for folding.
    if (window.getSelection()?.isCollapsed !== false && row.shape !== "scalar") toggle(row);
  }

  function onPointerOver(event: MouseEvent) {
    const place = rowPlace(event.target);
    setHot(place === null ? null : (rows[place]?.id ?? null));
  }

  return (
    <div
      ref={tree}
      role="tree"
      tabIndex={0}
      aria-label={`${label}; c copies a value, p its path${side ? ", f finds spans with it" : ""}`}
      aria-activedescendant={at >= 0 ? `${base}-${at}` : undefined}
      className={css.tree}
      onKeyDown={onKeyDown}
      onClick={onClick}
      onPointerOver={onPointerOver}
      onPointerLeave={() => setHot(null)}
      onFocus={(event) => event.target === event.currentTarget && at < 0 && setActive(rows[0]?.id ?? null)}
    >
      {rows.map((row, place) => (
        <JsonLine
          key={row.id}
          row={row}
          id={`${base}-${place}`}
          place={place}
          active={row.id === active}
          side={side}
          tools={row.id === hot || row.id === active}
        />
      ))}
    </div>
  );
}

/** The line of an event; null if a button of the line sent it. */
function rowPlace(target: EventTarget): number | null {
  if (!(target instanceof Element)) return null;
  const place = target.closest<HTMLElement>("[data-place]")?.dataset.place;
  return place === undefined ? null : Number(place);
}
