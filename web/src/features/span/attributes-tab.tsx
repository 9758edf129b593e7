import { useDeferredValue, useMemo, useState } from "react";
import { bytes } from "@/lib/format";
import type { FullSpan } from "@/lib/full-span";
import { isContainer, plainText, readValue, scalarText } from "@/lib/json";
import { visibleLine } from "@/lib/visible";
import { CopyButton } from "@/ui/button";
import { JsonView } from "@/ui/json-view";
import { LongText } from "@/ui/message-text";
import css from "./attributes-tab.module.css";
import { Few } from "./few";
import { Nothing } from "./section";
import { TRUNCATED_SUFFIX } from "./semconv";

/** The attributes of a span by key, with a search box. */
export function AttributesTab({ span }: { span: FullSpan }) {
  const [text, setText] = useState("");
  const wanted = useDeferredValue(text.trim().toLowerCase());
  const clipped = Object.entries(span.clipped).filter(([key]) => key.startsWith("attributes."));
  return (
    <div className={css.tab}>
      <h3 className="visually-hidden">Attributes</h3>
      <input
        type="search"
        className={css.filter}
        placeholder="Filter keys and values"
        aria-label="Filter attributes"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {Object.keys(span.attributes).length + clipped.length === 0 && <Nothing>This span has no attributes.</Nothing>}
      <AttributeList attributes={span.attributes} wanted={wanted} />
      {clipped.length > 0 && (
        <Nothing>
          Not loaded yet: {clipped.map(([key, size]) => `${visibleLine(key.slice(11))} (${bytes(size)})`).join(", ")}
        </Nothing>
      )}
    </div>
  );
}

const STEP = 300;

/** Attributes sorted by key. */
export function AttributeList({ attributes, wanted = "" }: { attributes: Record<string, unknown>; wanted?: string }) {
  const keys = useMemo(() => Object.keys(attributes).sort(), [attributes]);
  const found = useMemo(
    () => (wanted ? keys.filter((key) => isWanted(key, attributes[key], wanted)) : keys),
    [keys, attributes, wanted],
  );
  return (
    <>
      <Few items={found} step={STEP}>
        {(shown) => (
          <dl className={css.list}>
            {shown.map((key) => {
              if (isFlag(key, attributes)) return null;
              const isShortened = attributes[key + TRUNCATED_SUFFIX] === true;
              return <AttributeRow key={key} name={key} value={attributes[key]} isShortened={isShortened} />;
            })}
          </dl>
        )}
      </Few>
      {found.length === 0 && keys.length > 0 && <Nothing>No key or value contains that.</Nothing>}
    </>
  );
}

function AttributeRow({ name, value, isShortened }: { name: string; value: unknown; isShortened: boolean }) {
  const key = visibleLine(name);
  const held = useMemo(() => readValue(value, 200_000), [value]);
  return (
    <div className={css.row}>
      <dt className={css.key}>
        <bdi title={key.slice(0, 1000)}>{key === "" ? '""' : key.length > 300 ? `${key.slice(0, 300)}…` : key}</bdi>
        {isShortened && <span className={css.flag}>shortened when recorded</span>}
      </dt>
      <dd className={css.value}>
        {isContainer(held) ? (
          <JsonView value={held} label={key.slice(0, 60)} lines={12} />
        ) : (
          <span className={css.scalar}>
            {typeof held === "string" ? <LongText text={held} lines={8} mono /> : <code>{scalarText(held)}</code>}
            <CopyButton text={() => plainText(held)} label="Copy value" />
          </span>
        )}
      </dd>
    </div>
  );
}

/** Whether a key only says that the value of another key was shortened. */
function isFlag(key: string, attributes: Record<string, unknown>): boolean {
  if (!key.endsWith(TRUNCATED_SUFFIX) || attributes[key] !== true) return false;
  return Object.hasOwn(attributes, key.slice(0, -TRUNCATED_SUFFIX.length));
}

function isWanted(key: string, value: unknown, wanted: string): boolean {
  if (key.toLowerCase().includes(wanted)) return true;
  return plainText(value, 0).toLowerCase().includes(wanted);
}
